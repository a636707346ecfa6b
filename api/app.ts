/** Builds the Fastify application: authentication, limits, errors, operations, API document, operator pages. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { mountBoard } from './admin/board.ts';
import { mountOps } from './admin/mount-ops.ts';
import { mountStudio } from './admin/studio.ts';
import type { LoadedOperation } from './http/load-operations.ts';
import { protectRoutes } from './plugins/bearer.ts';
import { mountDocs } from './plugins/docs-page.ts';
import { mountMetrics } from './plugins/metrics.ts';
import { acceptMultipart } from './plugins/multipart.ts';
import { answerAsOauth } from './plugins/oauth-endpoints.ts';
import { countRequests, logRequests, traceRequests } from './plugins/observe-requests.ts';
import { answerFrameworkError, answerProblems } from './plugins/problems.ts';
import { limitRequests } from './plugins/request-limit.ts';
import { addOperation, allowedMethods } from './plugins/routes.ts';
import { shedLoad } from './plugins/shed-load.ts';
import { createRedirectShortcut } from './redirect/redirect-shortcut.ts';
import type { ApiServices } from './services.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as sent, of an operation of the style `webhook`. */
    rawBody?: Buffer;
  }
}

const maxBodyBytes = 5 * 1024 * 1024;
/** Set here because Fastify ignores its own time limits with a `serverFactory`. */
const serverLimits = { requestTimeout: 60_000, keepAliveTimeout: 72_000 };

export async function buildApp(
  services: ApiServices,
  operations: readonly LoadedOperation[],
): Promise<FastifyInstance> {
  const base = services.config.BASE_PATH;
  const loggerInstance: FastifyBaseLogger = services.logger;
  const shortcut = createRedirectShortcut(services);
  const app = Fastify({
    serverFactory: answer =>
      createServer(serverLimits, (request, response) => {
        if (!shortcut.answer(request, response)) answer(request, response);
      }),
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit: maxBodyBytes,
    forceCloseConnections: 'idle',
    trustProxy: services.config.TRUST_PROXY.length > 0 && services.config.TRUST_PROXY,
    genReqId: () => randomUUID(),
    frameworkErrors: answerFrameworkError,
    // Every path also works without the prefix; `originalUrl` keeps the requested address.
    rewriteUrl: request => withBase(request.url ?? '/', base),
  });
  // Input is validated in parse-input.ts, which reports the faults of path, query and body together.
  app.setValidatorCompiler(() => data => ({ value: data }));
  app.setSerializerCompiler(() => data => JSON.stringify(data));

  app.addHook('preClose', async () => {
    shortcut.close();
    // Requests that wait for a job are answered with its current state, so that they do not delay the shutdown.
    services.waiter.close();
    services.sseLimiter.close();
  });
  // A connection whose stream ends after the close of idle ones would stay open until its keep-alive time.
  app.addHook('onResponse', async () => {
    if (services.waiter.closed) setImmediate(() => app.server.closeIdleConnections());
  });
  traceRequests(app);
  countRequests(app);
  await shedLoad(app, `${base}/health`, services.config.MAX_EVENT_LOOP_DELAY_MS);
  protectRoutes(app, services.oauth);
  limitRequests(app, services.limits.requests);
  answerProblems(app, services.address.url, path => allowedMethods(operations, base, path));
  logRequests(app);
  await mountDocs(app, services, operations);
  await mountBoard(app, services);
  await mountOps(app, services);
  await mountStudio(app, services);
  await mountMetrics(app, services);

  await app.register(async json => {
    acceptEmptyJson(json);
    for (const operation of operations) if (operation.style === undefined) addOperation(json, operation, services);
  });
  await app.register(async forms => {
    answerAsOauth(forms);
    for (const operation of operations) if (operation.style === 'oauth') addOperation(forms, operation, services);
  });
  await app.register(async pages => {
    acceptForms(pages);
    for (const operation of operations) if (operation.style === 'page-form') addOperation(pages, operation, services);
  });
  await app.register(async webhooks => {
    acceptSignedJson(webhooks);
    for (const operation of operations) if (operation.style === 'webhook') addOperation(webhooks, operation, services);
  });
  await app.register(async files => {
    await acceptMultipart(files);
    for (const operation of operations) if (operation.style === 'file') addOperation(files, operation, services);
  });
  return app;
}

function withBase(url: string, base: string): string {
  const inside = url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`);
  if (inside) return url;
  // RFC 8414 section 3.1: the metadata of the issuer `/v2` is at `/.well-known/<name>/v2`.
  const wellKnown = new RegExp(`^(/[.]well-known/[^/?]+)${base}(?=[?]|$)`);
  return base + (url.startsWith('/.well-known/') ? url.replace(wellKnown, '$1') : url);
}

/** A form without fields has an empty body. */
function acceptForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, Object.fromEntries(new URLSearchParams(String(body))));
  });
}

/** Keeps the bytes, which are what the sender has signed. */
function acceptSignedJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    request.rawBody = Buffer.from(body);
    parse(request, String(body), done);
  });
}

/** Accepts an empty body: many clients send `Content-Type: application/json` with DELETE. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else parse(request, String(body), done);
  });
}
