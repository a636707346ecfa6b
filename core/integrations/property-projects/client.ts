/** The property-project system with our verbs. */
import { FormData } from 'undici';
import type { z } from 'zod';
import type { SystemTools } from '../kit/context.ts';
import type { PropertyProjectsConfig } from './config.ts';
import type { Reference, ReferenceName } from './reference.ts';
import type { ReferenceQuery } from './reference-query.ts';
import { asImageRefusal, readProjectsFault } from './refusal.ts';
import { openUsers } from './users.ts';
import { oneOf, pageOf, referenceRows, Uploaded } from './wire.ts';

/** A page as it came: its entity tag lets the system say that nothing has changed. */
export interface TaggedPage<Row> {
  etag: string | undefined;
  items: Row[];
  /** Of the whole collection. */
  total: number;
}

export interface Image {
  bytes: Buffer;
  contentType: string;
  fileName: string;
}

export const referencePageSize = 100;

export type PropertyProjects = ReturnType<typeof openPropertyProjects>;

export function openPropertyProjects(config: PropertyProjectsConfig, tools: SystemTools) {
  const http = tools.http({
    baseUrl: config.PROPERTY_PROJECTS_URL ?? '',
    headers: () => ({ authorization: `Bearer ${config.PROPERTY_PROJECTS_API_KEY}` }),
    readFault: readProjectsFault,
  });

  return {
    config,
    /** Whether the sandbox answers. */
    sandbox: tools.sandbox,
    ...openUsers(http),

    /**
     * @param etag of the page as it is known
     * @param timeoutMs for who has something to answer anyway
     * @returns undefined when the page is the known one still
     * @throws UpstreamError; with the status 404 when there is no such row or project
     */
    async referencePage<N extends ReferenceName>(
      query: ReferenceQuery<N>,
      page: number,
      { etag, timeoutMs }: { etag?: string | undefined; timeoutMs?: number },
    ): Promise<TaggedPage<Reference<N>> | undefined> {
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

    /** Another one each time it is sent, with an address of its own. @throws ServiceError invalid-input */
    async uploadImage({ bytes, contentType, fileName }: Image): Promise<string> {
      const body = new FormData();
      body.append('file', new Blob([new Uint8Array(bytes)], { type: contentType }), fileName);
      const call = { class: 'create', method: 'POST', path: '/images', body, answer: Uploaded } as const;
      const { url } = await http.call(call).catch((error: unknown) => {
        throw asImageRefusal(error);
      });
      return url;
    },
  };
}

/** Nothing at all is the answer 304. */
function answerTo<N extends ReferenceName>(
  query: ReferenceQuery<N>,
): z.ZodType<{ items: Reference<N>[]; total: number } | undefined> {
  const row: z.ZodType<Reference<N>> = referenceRows[query.name];
  if (query.isOne)
    return oneOf(row)
      .transform(({ data }) => ({ items: [data], total: 1 }))
      .optional();
  return pageOf(row)
    .transform(({ data, meta }) => ({ items: data, total: meta.total }))
    .optional();
}
