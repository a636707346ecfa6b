/** The API document, its page, and a page for each type of problem: public and compressed, without external requests. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { templateFolder } from '../../core/runtime/discover.ts';
import { ErrorCode, errorKinds } from '../../core/runtime/errors.ts';
import { apiDocument } from '../document/api-document.ts';
import { openPage, scriptedPageHeaders } from '../http/html-page.ts';
import type { LoadedOperation } from '../http/load-operations.ts';
import { addContent, script, staticContent } from '../http/static-content.ts';
import type { ApiServices } from '../services.ts';
import { skipTokenCheck } from './bearer.ts';

export async function mountDocs(
  app: FastifyInstance,
  services: ApiServices,
  operations: readonly LoadedOperation[],
): Promise<void> {
  const { BASE_PATH: base } = services.config;
  await app.register(async docs => {
    skipTokenCheck(docs);
    addContent(docs, `${base}/openapi.json`, async () => {
      const document = apiDocument(operations, [...services.contracts.values()], {
        basePath: base,
        publicUrl: services.publicUrl,
      });
      return staticContent('application/json', Buffer.from(JSON.stringify(document)));
    });
    await addReference(docs, `${base}/docs`);
    await addProblemPages(docs, base);
    for (const start of [base, `${base}/`, `${base}/docs`])
      docs.get(start, (_, reply) => reply.redirect(`${base}/docs/`));
  });
}

/** Scalar's page: docs/api-document.md compares it with Swagger UI. */
async function addReference(app: FastifyInstance, url: string): Promise<void> {
  const { answer, mark } = await openPage('docs/page.hbs', 'links/styles.css');
  const page = answer(200, {}, scriptedPageHeaders);
  addContent(app, `${url}/`, async () => staticContent('text/html; charset=utf-8', page.body, scriptedPageHeaders));
  addContent(app, `${url}/icon.svg`, async () => staticContent('image/svg+xml', Buffer.from(mark)));
  addContent(app, `${url}/page.js`, async () => script(new URL('docs/page.js', templateFolder)));
  const scalar = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  addContent(app, `${url}/reference.js`, async () => script(path.join(path.dirname(scalar), 'js/standalone.js')));
}

/** HTML, in which `{base}` is the path before all operations. */
const Texts = z.record(ErrorCode, z.object({ meaning: z.string(), action: z.string(), retry: z.string().optional() }));

/** The address of a problem type's page is its `type`. */
async function addProblemPages(app: FastifyInstance, base: string): Promise<void> {
  const { answer } = await openPage('problems/page.hbs', 'links/styles.css');
  const json = await readFile(new URL('problems/texts.json', templateFolder), 'utf8');
  const texts = Texts.parse(JSON.parse(json.replaceAll('{base}', base)));
  const problems = ErrorCode.options.map(code => ({ code, ...errorKinds[code] }));
  const show = (reply: FastifyReply, status: number, view: object) => {
    const { headers, body } = answer(status, { base, ...view });
    return reply.code(status).headers(headers).send(body);
  };
  app.get(`${base}/problems`, (_, reply) => show(reply, 200, { title: 'Types of problems', problems }));
  app.get(`${base}/problems/:code`, ({ params }, reply) => {
    const { data } = z.object({ code: ErrorCode }).safeParse(params);
    if (!data) return show(reply, 404, { title: 'There is no such type of problem', problems });
    const { title, status, transient } = errorKinds[data.code];
    const retry = transient
      ? 'Yes, after the time in <code>Retry-After</code>, with the same <code>Idempotency-Key</code>.'
      : 'No: the same request gets the same answer.';
    return show(reply, 200, { title, problem: { code: data.code, status, retry, ...texts[data.code] } });
  });
}
