/** Entity tags of JSON answers and `If-None-Match` (RFC 9110 section 13.1.2). */
import { hash } from 'node:crypto';

export const etagOfBody = (body: object): string =>
  `"${hash('sha256', JSON.stringify(body), 'base64url').slice(0, 27)}"`;

/** Weak comparison, as `If-None-Match` requires. */
export const matchesEtag = (header: string | undefined, etag: string): boolean =>
  header === '*' || (header ?? '').split(',').some(tag => tag.trim().replace(/^W\//, '') === etag);
