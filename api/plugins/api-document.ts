/** OpenAPI 3.1 document, generated from the zod schemas of the operations, and Swagger UI. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import Fastify, { type FastifyInstance, type FastifySchema } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { Problem } from '../../core/runtime/errors.ts';
import { scriptedPageHeaders } from '../http/html-page.ts';
import { closeObjects } from '../http/input-schema.ts';
import { describeScopes, type LoadedOperation } from '../http/load-operations.ts';
import { type AnswerDescription, anyScope, exampleUrl, type Operation } from '../http/operation.ts';
import type { ApiServices } from '../services.ts';
import { groupName, groupsOf, introduction } from './api-introduction.ts';
import { skipTokenCheck } from './bearer.ts';
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
  examples: [{ error: 'invalid_client', error_description: 'The client is unknown, or its secret is wrong.' }],
});
const ProblemDocument = Problem.meta({
  id: 'Problem',
  examples: [
    {
      type: `${exampleUrl}/problems/invalid-input`,
      title: 'Invalid input',
      status: 422,
      detail: 'The input has one fault.',
      instance: '/v2/apps/portal/v1/pdf',
      errors: [{ pointer: '/list/0/reference_number', detail: 'must not be empty' }],
    },
  ],
});

export async function describeApi(
  app: FastifyInstance,
  services: ApiServices,
  operations: readonly LoadedOperation[],
): Promise<void> {
  const base = services.config.BASE_PATH;
  await describeOperations(app, operations, base, services.publicUrl);
  app.get(`${base}/openapi.json`, { schema: { hide: true }, config: { scope: null } }, () => app.swagger());
  await app.register(async docs => {
    skipTokenCheck(docs);
    docs.addHook('onRequest', async (_, reply) => void reply.headers(scriptedPageHeaders));
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

/** Documents the routes that are added to `app` afterwards. */
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
      // Relative first: requests from Swagger UI then stay on its own origin.
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
    // Hides routes that are not operations, such as pages and metrics.
    transform: route =>
      route.schema?.operationId === undefined ? { schema: { hide: true }, url: route.url } : toJsonSchema(route),
    transformObject: document => withExamples(withUsedSchemas(withSchemas(document)), operations),
  });
}

const zodToJsonConfig: ZodToJsonConfig = {
  unrepresentable: 'any',
  override(context) {
    const { zodSchema, jsonSchema } = context;
    closeObjects(context);
    // The format says enough; the patterns that zod adds are long.
    if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    // Zod omits examples of transformed input; here they always show the sent value.
    const examples = z.globalRegistry.get(zodSchema)?.examples;
    if (Array.isArray(examples) && jsonSchema.$ref === undefined) jsonSchema.examples = examples;
  },
};
type ZodToJsonConfig = NonNullable<Parameters<typeof createJsonSchemaTransform>[0]['zodToJsonConfig']>;
const toJsonSchema = createJsonSchemaTransform({ zodToJsonConfig });
const withSchemas = createJsonSchemaTransformObject({ zodToJsonConfig });

/** The document without base path, for client generation. */
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

const formTypes = { oauth: 'application/x-www-form-urlencoded', file: 'multipart/form-data' } as const;

/** The route schema of one operation. */
export function operationSchema(operation: LoadedOperation): FastifySchema {
  const { params, query, body } = operation.request;
  return {
    ...descriptionOf(operation),
    operationId: operation.id,
    tags: [groupName(operation.group)],
    security: securityOf(operation.scope),
    ...(operation.style && { consumes: [formTypes[operation.style]] }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...headerSchema(operation),
    // OAuth endpoints ignore unknown parameters.
    ...(body && { body: operation.style === 'oauth' ? body.meta({ additionalProperties: true }) : body }),
    response: Object.fromEntries([
      ...Object.entries(operation.answers).map(([status, answer]) => [status, answerSchema(answer)]),
      ['default', faultSchema(operation)],
    ]),
  };
}

/** `summary`: the first sentence, without markup; `description`: all sentences and the required scope. */
function descriptionOf({ summary, scope, request }: LoadedOperation): Pick<FastifySchema, 'summary' | 'description'> {
  const [first = summary] = /^.+?[.](?=\s|$)/su.exec(summary) ?? [];
  const caller =
    scope === null
      ? 'Public.'
      : scope === anyScope
        ? 'Requires any live token.'
        : `Requires a token with the scope \`${scope}\`.`;
  const isOpen = request.query?.meta()?.additionalProperties === true;
  const ignored = isOpen ? ' Ignores other query parameters: apps add their own to links that people open.' : '';
  return { summary: first.replaceAll('`', ''), description: `${summary}${ignored}\n\n${caller}` };
}

function headerSchema({ idempotent, startsJob }: LoadedOperation): FastifySchema {
  const headers = {
    ...(idempotent && { 'Idempotency-Key': idempotent === 'secret' ? SecretKey : IdempotencyKey }),
    ...(startsJob !== undefined && { Prefer }),
  };
  return Object.keys(headers).length === 0 ? {} : { headers: z.object(headers) };
}

const Key = z.string().min(1).max(255).optional();
const IdempotencyKey = Key.describe(
  'A key chosen by the client, such as a UUID; with or without quotes. Repeating the same request with the key within ' +
    '24 hours returns the first answer, marked `Idempotent-Replayed: true`, or the current state of the job that the ' +
    'request started. A different request with the key: 422. While the first request is in progress: 409 with ' +
    '`Retry-After`. A failed request releases the key.',
);
const SecretKey = Key.describe(
  'A key chosen by the client, such as a UUID; with or without quotes. The answer contains a secret and is not stored: ' +
    'repeating the same request with the key within 24 hours has no effect and returns 409.',
);
const Prefer = z
  .string()
  .optional()
  .describe(
    'RFC 7240: `wait=N` waits up to N seconds for the job; `respond-async` does not wait, whatever `Accept` contains; ' +
      '`cancel-on-disconnect` cancels the job when you disconnect during the wait; ' +
      '`handling=strict` rejects unsupported preferences. `Preference-Applied` lists what was applied.',
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
        description: 'An error as in RFC 6749 section 5.2.',
        content: { 'application/json': { schema: OauthFault } },
      }
    : {
        description: 'A problem document.',
        content: { 'application/problem+json': { schema: ProblemDocument } },
      };

const reference = /"#\/components\/schemas\/([\w.-]+)"/g;

/** Removes unreferenced schemas; an input schema without an output counterpart loses the suffix `Input`. */
function withUsedSchemas<D extends { components?: { schemas?: object }; paths?: object }>(document: D): D {
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
      JSON.stringify(part).replaceAll(reference, (_, name) => `"#/components/schemas/${shortNames.get(name)}"`),
    );
  const referenced = [...used].sort().map(name => [shortNames.get(name), named(schemas.get(name))]);
  return {
    ...document,
    paths: named(document.paths),
    components: { ...document.components, schemas: Object.fromEntries(referenced) },
  };
}

function shortName(name: string, used: ReadonlySet<string>): string {
  const short = name.replace(/Input$/, '');
  return used.has(short) ? name : short;
}
