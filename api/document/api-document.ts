/** The OpenAPI 3.1 document, generated from the operations and the contracts of jobs. */

import { CallbackMessage } from '../../core/callbacks/message.ts';
import type { JobContract } from '../../core/jobs/contract.ts';
import { NotificationMessage } from '../../core/notifications/notification.ts';
import { PublicProblem } from '../../core/runtime/errors.ts';
import { version } from '../../core/runtime/version.ts';
import { describeScopes, type LoadedOperation } from '../http/load-operations.ts';
import { type DocumentParts, describeOperation } from './describe-operation.ts';
import { type JsonObject, objectAt } from './examples.ts';
import { headerComponents } from './headers.ts';
import { groupName, groupsOf, readIntroduction } from './introduction.ts';
import { OauthFault } from './problem-responses.ts';
import { convertSchemas } from './schemas.ts';

export interface DocumentAddress {
  /** Prefix of all paths. */
  basePath: string;
  /** The service's address, without the base path. */
  publicUrl: string;
}

/** @param contracts of the kinds of jobs: `Job` is the union of their jobs */
export function apiDocument(
  operations: readonly LoadedOperation[],
  contracts: readonly JobContract[],
  { basePath, publicUrl }: DocumentAddress = { basePath: '', publicUrl: '' },
): JsonObject {
  const others = { Problem: PublicProblem, OauthError: OauthFault, ...webhookBodies };
  const schemas = convertSchemas(operations, contracts, others);
  const { responses, share } = sharedResponses();
  const parts = { schemas, baseUrl: publicUrl + basePath, share };
  const groups = groupsOf(operations);
  const paths: JsonObject = {};
  for (const operation of groups.flatMap(({ name }) => operations.filter(({ group }) => groupName(group) === name))) {
    const path = basePath + operation.path;
    paths[path] = { ...objectAt(paths, path), [operation.method.toLowerCase()]: describeOperation(operation, parts) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Portal Service',
      version,
      description: readIntroduction(operations),
      contact: { name: 'The operator of the service', ...(publicUrl !== '' && { url: publicUrl }) },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    // Relative first: requests from the documentation page then stay on its own origin.
    servers: [{ url: '/' }, ...(publicUrl === '' ? [] : [{ url: publicUrl }])],
    tags: groups,
    paths,
    webhooks,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas.components).sort(([one], [other]) => (one < other ? -1 : 1))),
      responses,
      headers: headerComponents(paths, responses),
      callbacks,
      securitySchemes: {
        oauth: {
          type: 'oauth2',
          description: 'A token of `POST /oauth/token`.',
          flows: {
            clientCredentials: { tokenUrl: `${basePath}/oauth/token`, scopes: describeScopes(operations) },
          },
        },
      },
    },
  };
}

/** Equal responses become one component. */
function sharedResponses() {
  const names = new Map<string, string>();
  const responses: JsonObject = {};
  const share: DocumentParts['share'] = (name, response) => {
    const text = JSON.stringify(response);
    const others = Object.keys(responses).filter(each => each.replace(/-\d+$/, '') === name).length;
    const own = names.get(text) ?? (others === 0 ? name : `${name}-${others + 1}`);
    names.set(text, own);
    responses[own] = response;
    return { $ref: `#/components/responses/${own}` };
  };
  return { responses, share };
}

/** By id. */
const webhookBodies = { JobCallbackMessage: CallbackMessage, NotificationMessage };

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

function message(body: keyof typeof webhookBodies, description: string): { post: JsonObject } {
  const [summary = ''] = description.split('\n');
  return {
    post: {
      summary,
      description,
      security: [],
      parameters: [
        header('webhook-id', 'The same for each try of a message: recognises repeats.'),
        header('webhook-timestamp', 'Time of the try in seconds since 1970; reject old ones.'),
        header(
          'webhook-signature',
          '`v1,` and the HMAC-SHA-256 of id, timestamp and body in base64; one per live secret.',
        ),
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${body}` } } },
      },
      responses: {
        '2XX': { description: 'The message is accepted.' },
        '410': { description: 'The receiver no longer exists: the message is not sent again.' },
        '4XX': { description: 'The message is sent again.' },
      },
    },
  };
}

const jobEnded = message(
  'JobCallbackMessage',
  `A job has ended, or is held.
Sent to \`callback.url\` of the request that started the job: the job with the type and time of the event, less than 20 kB. Signed
with the secret of \`GET /jobs/callback-secret\`. Answer any 2xx within 15 seconds; otherwise it is sent again ten times over
about three days. Redirects are not followed, and private addresses are rejected.`,
);

const notified = message(
  'NotificationMessage',
  `A run is held, or a scheduled job or one that changes outside systems has failed for good.
Sent to \`NOTIFY_WEBHOOK_URL\`, signed with \`NOTIFY_WEBHOOK_SECRET\`. Equal failures are counted, and sent at most once an hour.`,
);

/** Each has an id of its own. */
const named = (operationId: string, { post }: ReturnType<typeof message>) => ({ post: { operationId, ...post } });

const webhooks: JsonObject = {
  jobEnded: named('webhooks.jobEnded', jobEnded),
  notification: named('webhooks.notification', notified),
};

const callbacks: JsonObject = {
  JobEnded: { '{$request.body#/callback/url}': named('callbacks.jobEnded', jobEnded) },
};
