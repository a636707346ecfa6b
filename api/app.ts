/** Builds the HTTP application from its parts: protection, operations, errors, API document, Bull Board. */
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { mountBoard } from './admin/board.ts';
import { mountOps } from './admin/mount-ops.ts';
import type { LoadedOperation } from './http/load-operations.ts';
import { describeApi } from './plugins/api-document.ts';
import { protectRoutes } from './plugins/bearer.ts';
import { countRequests, mountMetrics } from './plugins/metrics.ts';
import { answerAsOauth } from './plugins/oauth-endpoints.ts';
import { acceptOneFile } from './plugins/one-file.ts';
import { answerFrameworkError, answerProblems } from './plugins/problems.ts';
import { limitRequests } from './plugins/request-limit.ts';
import { logRequests } from './plugins/request-log.ts';
import { addOperation, allowedMethods } from './plugins/routes.ts';
import { traceRequests } from './plugins/trace-requests.ts';
import { openFastLane } from './redirect/fast-lane.ts';
import type { ApiServices } from './services.ts';

const maxBodyBytes = 5 * 1024 * 1024;
const requestTimeoutMs = 60_000;

export async function buildApp(
  services: ApiServices,
  operations: readonly LoadedOperation[],
): Promise<FastifyInstance> {
  const base = services.config.BASE_PATH;
  const loggerInstance: FastifyBaseLogger = services.logger;
  const app = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    forceCloseConnections: 'idle',
    trustProxy: services.config.TRUST_PROXY.length > 0 && services.config.TRUST_PROXY,
    genReqId: () => randomUUID(),
    frameworkErrors: answerFrameworkError,
    // Each path also answers without the prefix; `originalUrl` keeps what the caller asked for.
    rewriteUrl: request => withBase(request.url ?? '/', base),
  });
  // Input is parsed by the operation's schemas in one pass (parse-input.ts), so that every fault is told.
  app.setValidatorCompiler(() => data => ({ value: data }));
  app.setSerializerCompiler(() => data => JSON.stringify(data));

  app.addHook('preClose', async () => {
    // Requests that wait for a job would hold up the end of the process: they are answered as things stand.
    services.watch.close();
    services.streams.close();
  });
  traceRequests(app);
  countRequests(app);
  protectRoutes(app, services.oauth);
  limitRequests(app, services.limits, services.config.REQUESTS_PER_MINUTE);
  answerProblems(app, path => allowedMethods(operations, base, path));
  logRequests(app);
  await describeApi(app, services, operations);
  await mountBoard(app, services);
  await mountOps(app, services);
  await mountMetrics(app, services);

  await app.register(async json => {
    acceptEmptyJson(json);
    for (const operation of operations)
      if (operation.style === undefined) addOperation(json, operation, services);
  });
  await app.register(async forms => {
    answerAsOauth(forms);
    for (const operation of operations)
      if (operation.style === 'oauth') addOperation(forms, operation, services);
  });
  await app.register(async files => {
    await acceptOneFile(files);
    for (const operation of operations)
      if (operation.style === 'file') addOperation(files, operation, services);
  });
  openFastLane(app, services);
  return app;
}

function withBase(url: string, base: string): string {
  const inside = url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`);
  if (inside) return url;
  // RFC 8414 section 3.1 asks for the metadata of the issuer `/v2` at `/.well-known/<name>/v2`.
  const wellKnown = new RegExp(`^(/[.]well-known/[^/?]+)${base}(?=[?]|$)`);
  return base + (url.startsWith('/.well-known/') ? url.replace(wellKnown, '$1') : url);
}

/** A request without a body may still carry the header, as many clients send it with DELETE. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else parse(request, String(body), done);
  });
}
