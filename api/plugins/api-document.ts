/** The OpenAPI 3.1 document, made from the operations' own zod schemas, and the page to read and try it. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import Fastify, { type FastifyInstance, type FastifySchema } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { Problem } from '../../core/runtime/problem.ts';
import { describeScopes, type LoadedOperation } from '../http/load-operations.ts';
import { type AnswerDescription, anyScope, type Operation } from '../http/operation.ts';
import type { ApiServices } from '../services.ts';
import { groupName, groupsOf, introduction } from './api-introduction.ts';
import { openToAll } from './bearer.ts';
import { withExamples } from './document-examples.ts';

declare module 'fastify' {
  interface FastifySchema {
    summary?: string;
    description?: string;
    operationId?: string;
    tags?: readonly string[];
    security?: readonly Record<string, readonly string[]>[];
    consumes?: readonly string[];
    hide?: boolean;
  }
}

const OauthFault = z.object({ error: z.string(), error_description: z.string() }).meta({
  id: 'OauthError',
  examples: [
    { error: 'invalid_client', error_description: 'The client is unknown, or its secret is wrong.' },
  ],
});
const ProblemDocument = Problem.meta({
  id: 'Problem',
  examples: [
    {
      type: 'urn:portal-service:problem:invalid-input',
      title: 'Invalid input',
      status: 422,
      detail: 'The request has a fault.',
      instance: '/v2/apps/portal/v1/pdf',
      errors: [{ pointer: '/list/0/reference_number', detail: 'must not be empty' }],
    },
  ],
});

/** The document and the page to read it. */
export async function describeApi(
  app: FastifyInstance,
  services: ApiServices,
  operations: readonly LoadedOperation[],
): Promise<void> {
  const base = services.config.BASE_PATH;
  await describeOperations(app, operations, base, services.publicUrl);
  app.get(`${base}/openapi.json`, { schema: { hide: true }, config: { scope: null } }, () => app.swagger());
  await app.register(async docs => {
    openToAll(docs);
    await docs.register(swaggerUi, {
      routePrefix: `${base}/docs`,
      uiConfig: {
        persistAuthorization: true,
        displayRequestDuration: true,
        deepLinking: true,
        operationsSorter: 'alpha',
      },
      theme: { css: [{ filename: 'service.css', content: '.swagger-ui .topbar { display: none; }' }] },
    });
  });
}

/** Makes the document of the routes that are added to `app` after this. */
async function describeOperations(
  app: FastifyInstance,
  operations: readonly LoadedOperation[],
  base: string,
  publicUrl: string,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Portal Service', version: '2', description: introduction },
      // The first is where the page itself came from: trying an operation there crosses no origin.
      servers: [{ url: '/' }, { url: publicUrl }],
      tags: groupsOf(operations),
      components: {
        securitySchemes: {
          oauth: {
            type: 'oauth2',
            flows: {
              clientCredentials: { tokenUrl: `${base}/oauth/token`, scopes: describeScopes(operations) },
            },
          },
        },
      },
    },
    // Pages and metrics are routes as well, but no operations.
    transform: route =>
      route.schema?.operationId === undefined
        ? { schema: { hide: true }, url: route.url }
        : toJsonSchema(route),
    transformObject: document => withExamples(withUsedSchemas(withSchemas(document)), operations),
  });
}

const zodToJsonConfig: ZodToJsonConfig = {
  unrepresentable: 'any',
  override({ zodSchema, jsonSchema }) {
    // A format says it all: of the patterns that check some of them, which are long, a reader has nothing.
    if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    // Zod leaves them out where the input is transformed; ours are always of what is sent.
    const examples = z.globalRegistry.get(zodSchema)?.examples;
    if (Array.isArray(examples) && jsonSchema.$ref === undefined) jsonSchema.examples = examples;
  },
};
type ZodToJsonConfig = NonNullable<Parameters<typeof createJsonSchemaTransform>[0]['zodToJsonConfig']>;
const toJsonSchema = createJsonSchemaTransform({ zodToJsonConfig });
const withSchemas = createJsonSchemaTransformObject({ zodToJsonConfig });

/** The document by itself, of a service without a base path: what clients are generated from. */
export async function apiDocument(operations: readonly LoadedOperation[]): Promise<object> {
  const app = Fastify();
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  await describeOperations(app, operations, '', '/');
  for (const operation of operations) {
    app.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      schema: operationSchema(operation),
      handler: () => undefined,
    });
  }
  await app.ready();
  return app.swagger();
}

/** What operations that do not take JSON take. */
const formTypes = { oauth: 'application/x-www-form-urlencoded', file: 'multipart/form-data' } as const;

/** The part of the document that one operation fills. */
export function operationSchema(operation: LoadedOperation): FastifySchema {
  const { params, query, body } = operation.request;
  return {
    ...wordsOf(operation),
    operationId: operation.id,
    tags: [groupName(operation.group)],
    security: securityOf(operation.scope),
    ...(operation.style && { consumes: [formTypes[operation.style]] }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...headerSchema(operation),
    ...(body && { body }),
    response: Object.fromEntries([
      ...Object.entries(operation.answers).map(([status, answer]) => [status, answerSchema(answer)]),
      ['default', faultSchema(operation)],
    ]),
  };
}

/** The first sentence stands in the list, where no markup is read; all of it, and who may call, with the operation. */
function wordsOf({ summary, scope }: LoadedOperation): Pick<FastifySchema, 'summary' | 'description'> {
  const [first = summary] = /^.+?[.](?=\s|$)/su.exec(summary) ?? [];
  const caller =
    scope === null
      ? 'Open to all.'
      : scope === anyScope
        ? 'Takes any live token.'
        : `Takes a token with the scope \`${scope}\`.`;
  return { summary: first.replaceAll('`', ''), description: `${summary}\n\n${caller}` };
}

/** Headers that are read besides those of HTTP itself. */
function headerSchema({ idempotent, startsJob }: LoadedOperation): FastifySchema {
  const headers = {
    ...(idempotent && { 'Idempotency-Key': idempotent === 'secret' ? SecretKey : IdempotencyKey }),
    ...(startsJob !== undefined && { Prefer }),
  };
  return Object.keys(headers).length === 0 ? {} : { headers: z.object(headers) };
}

const Key = z.string().min(1).max(255).optional();
const IdempotencyKey = Key.describe(
  'A key of the client’s own, such as a UUID; with quotes or without. The same key and request within 24 hours give ' +
    'the first answer again, marked `Idempotent-Replayed: true`; a request that started a job, the same job as it is ' +
    'then. Another request under the key: 422. While the first is being worked on: 409 with `Retry-After`. After a ' +
    'failure the key is free again.',
);
const SecretKey = Key.describe(
  'A key of the client’s own, such as a UUID; with quotes or without. The answer holds a secret and is never kept: ' +
    'the same key and request within 24 hours do nothing a second time and are answered with 409.',
);
const Prefer = z
  .string()
  .optional()
  .describe(
    'RFC 7240: `wait=N` holds the answer up to N seconds; `respond-async` does not hold it, whatever `Accept` asks ' +
      'for; `handling=strict` refuses preferences that cannot be honoured. `Preference-Applied` tells what was done.',
  );

function securityOf(scope: string | null): Record<string, string[]>[] {
  if (scope === null) return [];
  return [{ oauth: scope === anyScope ? [] : [scope] }];
}

function answerSchema(answer: AnswerDescription): unknown {
  const bytes = z.string().meta({ format: 'binary' });
  const content: Record<string, { schema: z.ZodType }> = {};
  if (answer.schema || answer.contentType) {
    content[answer.contentType ?? 'application/json'] = { schema: answer.schema ?? bytes };
  }
  if (answer.orContentType) content[answer.orContentType] = { schema: bytes };
  if (Object.keys(content).length === 0) return z.null().describe(answer.description);
  return { description: answer.description, content };
}

const faultSchema = (operation: Operation): unknown =>
  operation.style === 'oauth'
    ? {
        description: 'An error of RFC 6749 section 5.2.',
        content: { 'application/json': { schema: OauthFault } },
      }
    : {
        description: 'A problem document.',
        content: { 'application/problem+json': { schema: ProblemDocument } },
      };

const reference = /"#\/components\/schemas\/([\w.-]+)"/g;

/** Keeps the schemas that something refers to; one that is only sent goes by its own name, without `Input`. */
export function withUsedSchemas<D extends { components?: { schemas?: object }; paths?: object }>(
  document: D,
): D {
  const schemas = new Map(Object.entries(document.components?.schemas ?? {}));
  const used = new Set<string>();
  const take = (part: unknown): void => {
    for (const [, name = ''] of (JSON.stringify(part) ?? '').matchAll(reference)) {
      if (used.has(name)) continue;
      used.add(name);
      take(schemas.get(name));
    }
  };
  take(document.paths);
  const shortNames = new Map([...used].map(name => [name, shortName(name, used)]));
  const named = <T>(part: T): T =>
    JSON.parse(
      JSON.stringify(part).replaceAll(
        reference,
        (_, name) => `"#/components/schemas/${shortNames.get(name)}"`,
      ),
    );
  const kept = [...used].sort().map(name => [shortNames.get(name), named(schemas.get(name))]);
  return {
    ...document,
    paths: named(document.paths),
    components: { ...document.components, schemas: Object.fromEntries(kept) },
  };
}

function shortName(name: string, used: ReadonlySet<string>): string {
  const short = name.replace(/Input$/, '');
  return used.has(short) ? name : short;
}
