/** Entity tags of JSON answers, and the question whether the caller has the same already (RFC 9110 section 13.1.2). */
import { hash } from 'node:crypto';

export const etagOfBody = (body: object): string =>
  `"${hash('sha256', JSON.stringify(body), 'base64url').slice(0, 27)}"`;

/** Weakly compared, as `If-None-Match` asks for. */
export const matchesEtag = (header: string | undefined, etag: string): boolean =>
  header === '*' || (header ?? '').split(',').some(tag => tag.trim().replace(/^W\//, '') === etag);
