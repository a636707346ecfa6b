/** The OpenAPI 3.1 document, made from the operations' own zod schemas, and the page to read and try it. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { Problem } from '../../core/job-record.ts';
import type { LoadedOperation } from '../load-operations.ts';
import { type AnswerDescription, anyScope, type Operation } from '../operation.ts';
import { describeScopes } from '../scopes.ts';
import type { ApiServices } from '../services.ts';
import { openToAll } from './bearer.ts';

declare module 'fastify' {
  interface FastifySchema {
    summary?: string;
    operationId?: string;
    tags?: readonly string[];
    security?: readonly Record<string, readonly string[]>[];
    consumes?: readonly string[];
    hide?: boolean;
  }
}

const OauthFault = z.object({ error: z.string(), error_description: z.string() }).meta({ id: 'OauthError' });
const ProblemDocument = Problem.meta({ id: 'Problem' });

export async function describeApi(
  app: FastifyInstance,
  services: ApiServices,
  operations: readonly LoadedOperation[],
): Promise<void> {
  const base = services.config.BASE_PATH;
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Portal Service', version: '2', description: introduction },
      servers: [{ url: services.publicUrl }],
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
    transform: createJsonSchemaTransform({ zodToJsonConfig: { unrepresentable: 'any' } }),
    transformObject: createJsonSchemaTransformObject({}),
  });
  app.get(`${base}/openapi.json`, { schema: { hide: true }, config: { scope: null } }, () => app.swagger());
  await app.register(async docs => {
    openToAll(docs);
    await docs.register(swaggerUi, {
      routePrefix: `${base}/docs`,
      uiConfig: { persistAuthorization: true, displayRequestDuration: true },
    });
  });
}

const introduction = `Brochures of property listings as PDF, and the synchronisations between a real-estate company's systems.

Work that takes time is a **job**: the request is checked and enqueued, answered with 202 and \`Location\`. Follow the
job there, or send \`Prefer: wait=30\` to hold the answer. Errors are problem documents (RFC 9457).`;

/** The part of the document that one operation fills. */
export function operationSchema(operation: LoadedOperation): FastifySchema {
  const { params, query, body } = operation.request;
  return {
    summary: operation.summary,
    operationId: operation.id,
    tags: [operation.group],
    security: securityOf(operation.scope),
    ...(operation.style === 'oauth' && { consumes: ['application/x-www-form-urlencoded'] }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    response: Object.fromEntries([
      ...Object.entries(operation.answers).map(([status, answer]) => [status, answerSchema(answer)]),
      ['default', faultSchema(operation)],
    ]),
  };
}

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
