/** The OpenAPI 3.1 document, generated from the operations and the contracts of jobs. */
import type { JobContract } from '../../core/jobs/contract.ts';
import { PublicProblem } from '../../core/runtime/errors.ts';
import { describeScopes, type LoadedOperation } from '../http/load-operations.ts';
import { type DocumentParts, describeOperation } from './describe-operation.ts';
import { type JsonObject, objectAt } from './examples.ts';
import { headerComponents } from './headers.ts';
import { groupName, groupsOf, readIntroduction } from './introduction.ts';
import { OauthFault } from './problem-responses.ts';
import { convertSchemas } from './schemas.ts';
import { callbacks, webhookBodies, webhooks } from './webhooks.ts';

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
      version: '2',
      description: readIntroduction(),
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
