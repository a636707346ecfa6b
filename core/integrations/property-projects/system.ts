/** The system for off-plan and ready projects with their units. */
import { FormData } from 'undici';
import { z } from 'zod';
import { httpUrl, wholeNumber } from '../../runtime/config.ts';
import type { SystemTools } from '../kit/context.ts';
import { defineSystem } from '../kit/define-system.ts';
import { goodRows } from '../kit/read-rows.ts';
import { type Reference, type ReferenceName, referenceSchemas } from './reference.ts';
import { openUsers } from './users.ts';
import { asImageRejection, oneOf, pageOf, readFault, referencePaths, snakeCaseRow, Uploaded } from './wire.ts';

export const PropertyProjectsConfig = z.object({
  PROPERTY_PROJECTS_URL: httpUrl
    .optional()
    .describe('The property-project system’s API, such as https://projects.example.com/api; unset: not configured.'),
  PROPERTY_PROJECTS_API_KEY: z.string().default('').describe('API key of the property-project system.'),
  PROPERTY_PROJECTS_FRESH_SECONDS: wholeNumber(0, 86_400)
    .default(300)
    .describe('How long its reference data is used before the system is asked whether it has changed.'),
  PROPERTY_PROJECTS_IMAGE_MAX_MB: wholeNumber(1, 100)
    .default(5)
    .describe('Maximum size in MB of an image that the system accepts, after it was reduced here.'),
});

export default defineSystem({
  name: 'property-projects',
  title: 'The property-project system',
  config: PropertyProjectsConfig,
  configuredBy: 'PROPERTY_PROJECTS_URL',
  sandbox: base => ({ PROPERTY_PROJECTS_URL: base, PROPERTY_PROJECTS_API_KEY: 'sandbox' }),
  open: openPropertyProjects,
  probe: projects => projects.referencePage(wholeCollection('emirates'), 1, {}),
});

/** What can be read of the reference data: a collection, one row of it, or the units of a project. */
export interface ReferenceQuery {
  name: ReferenceName;
  /** Below the system's base URL. */
  path: string;
  /** True for one row, false for pages. */
  isOne: boolean;
}

/** The collections that are not part of a project. */
export type CollectionName = Exclude<ReferenceName, 'units'>;

export interface Image {
  bytes: Buffer;
  contentType: string;
  fileName: string;
}

export const referencePageSize = 100;

export type PropertyProjects = ReturnType<typeof openPropertyProjects>;

export const wholeCollection = (name: CollectionName): ReferenceQuery => ({
  name,
  path: referencePaths[name],
  isOne: false,
});

export const oneRow = (name: CollectionName, id: string): ReferenceQuery => ({
  name,
  path: `${referencePaths[name]}/${encodeURIComponent(id)}`,
  isOne: true,
});

export const unitsOf = (projectId: string): ReferenceQuery => ({
  name: 'units',
  path: `/projects/${encodeURIComponent(projectId)}/units`,
  isOne: false,
});

function openPropertyProjects(config: z.infer<typeof PropertyProjectsConfig>, tools: SystemTools) {
  const http = tools.http({
    baseUrl: config.PROPERTY_PROJECTS_URL ?? '',
    headers: () => ({ authorization: `Bearer ${config.PROPERTY_PROJECTS_API_KEY}` }),
    readFault,
  });

  return {
    config,
    /** Whether the sandbox answers. */
    sandbox: tools.sandbox,
    ...openUsers(http, tools.system),

    /**
     * @param etag of the cached page
     * @param timeoutMs shorter for callers with a cached answer
     * @returns rows, their number in all pages, and the entity tag; undefined when the cached page is still current
     * @throws UpstreamError; with status 404 when there is no such row or project
     */
    async referencePage(
      query: ReferenceQuery,
      page: number,
      { etag, timeoutMs }: { etag?: string | undefined; timeoutMs?: number },
    ) {
      const { body, answer } = await http.callWhole({
        class: 'read',
        method: 'GET',
        path: query.path,
        query: query.isOne ? undefined : { page, limit: referencePageSize },
        headers: etag === undefined ? {} : { 'if-none-match': etag },
        answer: answerTo(query),
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
      return body && { etag: answer.headers.etag, ...body };
    },

    /** A create: each upload gets another address. @returns the address @throws ServiceError invalid-input */
    async uploadImage({ bytes, contentType, fileName }: Image): Promise<string> {
      const body = new FormData();
      body.append('file', new Blob([new Uint8Array(bytes)], { type: contentType }), fileName);
      const call = { class: 'create', method: 'POST', path: '/images', body, answer: Uploaded } as const;
      return (await http.call(call).catch(error => Promise.reject(asImageRejection(error)))).url;
    },
  };
}

/** Undefined is the empty answer with status 304. */
function answerTo(query: ReferenceQuery): z.ZodType<{ items: Reference[]; total: number } | undefined> {
  const row = snakeCaseRow(referenceSchemas[query.name]);
  if (query.isOne)
    return oneOf(row)
      .transform(({ data }) => ({ items: [data], total: 1 }))
      .optional();
  return pageOf(query.name, row)
    .transform(({ data, meta }) => ({ items: goodRows(data), total: meta.total }))
    .optional();
}
