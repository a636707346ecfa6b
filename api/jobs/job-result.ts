/** Sends a job's result: its file with ETag and ranges (RFC 9110 §13 and §14), or its report as JSON. */
import { z } from 'zod';
import { isFinal, type JobRecord, type ResultFile } from '../../core/jobs/record.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { Answer, AnswerDescription, Call } from '../http/operation.ts';
import { matchesEtag } from '../http/request-headers.ts';
import type { HeaderName } from '../http/response-headers.ts';

export const fileHeaderNames: HeaderName[] = ['ETag', 'Accept-Ranges', 'Content-Disposition'];

export const resultProblems = {
  conflict: 'The job has no result: it has not succeeded.',
  gone: 'The result has expired.',
  'range-not-satisfiable': 'The requested part lies outside the file.',
} as const;

/** A whole object of the store, or from `offset` on. */
type SentFile = Omit<ResultFile, 'parts'> & { offset?: number };

const fileTypes = ['application/pdf', 'application/zip', 'image/png', 'image/jpeg', 'text/html'];

export const resultAnswers: Record<number, AnswerDescription> = {
  200: {
    description: 'The report, or the file with its SHA-256 in `Content-Digest`.',
    schema: z.record(z.string(), z.unknown()),
    orContentType: fileTypes,
    headers: [...fileHeaderNames, 'Content-Digest'],
    example: { dryRun: false, read: 12_000, matched: 11_960, created: 32, updated: 8, deleted: 0, failed: 0 },
  },
  206: {
    description: 'The requested `Range`, with the SHA-256 of the whole file in `Repr-Digest`.',
    contentType: 'application/pdf',
    orContentType: fileTypes.slice(1),
    headers: [...fileHeaderNames, 'Repr-Digest', 'Content-Range'],
  },
  304: { description: 'The file matches `If-None-Match`.', headers: fileHeaderNames },
};

/**
 * Returns the job when it has a result.
 * @throws ServiceError conflict unless it has succeeded, gone after the result has expired
 */
export async function resultOf(job: JobRecord, { services }: Pick<Call, 'services'>): Promise<JobRecord> {
  if (job.state === 'succeeded') {
    if (hasExpired(job)) throw resultExpired();
    return job;
  }
  if (job.state === 'held') {
    throw new ServiceError('conflict', 'The job is held: it has a plan but no result until it is released.');
  }
  throw isFinal(job.state)
    ? new ServiceError('conflict', `The job has no result: it is ${job.state}.`)
    : new ServiceError('conflict', `The job is ${job.state}; it has no result until it succeeds.`, {
        retryAfterSeconds: await services.eta.retryAfterSeconds(job),
      });
}

const hasExpired = ({ resultExpiresAt }: JobRecord): boolean =>
  resultExpiresAt !== null && resultExpiresAt.getTime() <= Date.now();

/**
 * @param options.inline browsers show the file instead of saving it
 * @param options.redirect to an address of the store, when it offers them
 * @param options.part name of a file inside a ZIP; it is sent alone, and never redirected
 * @throws ServiceError gone when the file has expired, range-not-satisfiable when the range lies outside it
 */
export async function sendResultFile(
  job: JobRecord,
  { services, request }: Pick<Call, 'services' | 'request'>,
  { inline = false, redirect = false, part: name }: { inline?: boolean; redirect?: boolean; part?: string } = {},
): Promise<Answer> {
  if (hasExpired(job)) throw resultExpired();
  const file: SentFile | null = name === undefined || !job.resultFile ? job.resultFile : partOf(job.resultFile, name);
  if (!file) return { status: 200, body: { ...(typeof job.result === 'object' && job.result) } };

  const { headers } = request;
  const common = fileHeaders(file, inline ? 'inline' : 'attachment');
  if (matchesEtag(headers['if-none-match'], etagOf(file))) {
    if (!(await services.results.has(file.key))) throw resultExpired();
    return { status: 304, headers: common };
  }
  // A store would send HTML without its policy.
  if (redirect && name === undefined && !isHtml(file) && (await services.results.has(file.key))) {
    const { 'content-type': contentType, 'content-disposition': contentDisposition } = common;
    const location = await services.results.addressOf(file.key, { contentType, contentDisposition });
    if (location !== undefined) return { status: 302, headers: { location, 'cache-control': 'no-store' } };
  }
  // A weak tag or a date does not guarantee the same bytes, so the whole file is sent (RFC 9110 §13.1.5).
  const unchanged = headers['if-range'] === undefined || headers['if-range'] === etagOf(file);
  const part = unchanged ? rangeOf(headers.range, file.bytes) : undefined;

  const { offset = 0 } = file;
  const range =
    offset === 0 && !part
      ? undefined
      : { start: offset + (part?.start ?? 0), end: offset + (part?.end ?? file.bytes - 1) };
  const opened = await services.results.open(file.key, range).catch((error: unknown) => {
    throw error instanceof ServiceError && error.code === 'not-found' ? resultExpired() : error;
  });
  if (!part)
    return {
      status: 200,
      headers: { ...common, 'content-length': String(file.bytes), 'content-digest': digestOf(file) },
      body: opened.stream,
    };
  return {
    status: 206,
    headers: {
      ...common,
      'content-length': String(part.end - part.start + 1),
      'repr-digest': digestOf(file),
      'content-range': `bytes ${part.start}-${part.end}/${file.bytes}`,
    },
    body: opened.stream,
  };
}

/** @throws ServiceError not-found */
function partOf({ key, parts = [] }: ResultFile, name: string): SentFile {
  const part = parts.find(({ fileName }) => fileName === name);
  if (part) return { key, ...part };
  throw new ServiceError('not-found', `The result has no file "${name}"; \`result.files\` of the job lists them.`);
}

const resultExpired = (): ServiceError =>
  new ServiceError('gone', 'The result has expired. Retry the job to create it again.');

/** For `Content-Digest` and `Repr-Digest` (RFC 9530). */
const digestOf = (file: SentFile): string => `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`;

const etagOf = (file: SentFile): string => `"${file.sha256}"`;

const fileHeaders = (file: SentFile, disposition: 'inline' | 'attachment') => ({
  etag: etagOf(file),
  'accept-ranges': 'bytes',
  'cache-control': 'private, no-cache',
  'content-type': file.contentType,
  'content-disposition': `${disposition}; filename="${file.fileName}"`,
  ...(isHtml(file) && { 'content-security-policy': htmlPolicy }),
});

const isHtml = ({ contentType }: SentFile): boolean => contentType.startsWith('text/html');

/** A mail has inline styles and pictures; it runs no scripts, loads nothing, and only the studio may frame it. */
const htmlPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'self'; sandbox";

/** Undefined (the whole file) for several ranges or another unit, as RFC 9110 §14.2 allows. Both ends inclusive. */
function rangeOf(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || from + to === '') return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== '' && to !== '' && Number(to) < start) return undefined;
  if (start < size && end >= start) return { start, end };
  throw new ServiceError('range-not-satisfiable', `The file has ${size} bytes.`, {
    headers: { 'content-range': `bytes */${size}` },
  });
}
