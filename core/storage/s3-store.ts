/** Results as objects of an S3-compatible store. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { ServiceError } from '../runtime/errors.ts';
import type { Bucket } from './config.ts';
import { type ByteRange, checkKey, notStored, type openFileStore, resolveRange } from './file-store.ts';

type Store = Awaited<ReturnType<typeof openFileStore>>;

/** Larger objects are uploaded in parts of this size. */
const partBytes = 8 * 1024 * 1024;
/** Validity of a presigned address; a download that has begun continues after it. */
const addressSeconds = 300;
/** The attempts of each request, and of reading one object whose connection is cut. */
const attempts = 3;

/** Whole objects under keys; the SHA-256 is in their metadata. */
export function openS3Store(
  { bucket: Bucket, prefix, region, endpoint, pathStyle }: Bucket,
  { redirect = false } = {},
): Store {
  const client = new S3Client({
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle: pathStyle,
    maxAttempts: attempts,
    // Many compatible stores do not know the checksums in trailers that the SDK would send.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 3_000,
      socketTimeout: 20_000,
      requestTimeout: 20_000,
      throwOnRequestTimeout: true,
    },
  });
  const objectOf = (key: string) => {
    checkKey(key);
    return { Bucket, Key: prefix + key };
  };

  const stat = async (key: string) => describe(await answer(client.send(new HeadObjectCommand(objectOf(key)))));

  /** @throws ServiceError `not-found`, `range-not-satisfiable` */
  async function request(key: string, range?: ByteRange, etag?: string) {
    const Range = range && `bytes=${range.start}-${range.end ?? ''}`;
    const command = new GetObjectCommand({ ...objectOf(key), Range, IfMatch: etag });
    const found = await answer(client.send(command)).catch(async (error: unknown) => {
      if (statusOf(error) === 416) resolveRange((await stat(key)).size, range);
      throw error;
    });
    const size = Number(/\/(\d+)$/.exec(found.ContentRange ?? '')?.[1] ?? found.ContentLength);
    if (!(found.Body instanceof Readable)) throw new TypeError('the SDK returned no stream');
    return { object: { ...describe(found), size }, etag: found.ETag, body: found.Body };
  }

  /** Continues when its connection is cut. @throws Error when the whole object has another hash than it was stored with */
  async function* read(key: string, { object, etag, body }: Awaited<ReturnType<typeof request>>, range: Part) {
    const digest = createHash('sha256');
    let position = range.start;
    for (let attempt = 1; position <= range.end; attempt++) {
      try {
        const rest = attempt === 1 ? body : (await request(key, { ...range, start: position }, etag)).body;
        for await (const chunk of rest) {
          digest.update(chunk);
          position += chunk.length;
          yield chunk;
        }
      } catch (error) {
        if (attempt === attempts) throw unavailable(error);
      }
    }
    const isWhole = range.end - range.start + 1 === object.size;
    if (isWhole && digest.digest('hex') !== object.sha256) throw new Error('a stored object has been damaged');
  }

  return {
    /** The content is held in memory, because its hash is part of the request that begins the upload. */
    async put(key, content, { contentType }) {
      const target = objectOf(key);
      const chunks: Uint8Array[] = [];
      for await (const chunk of content instanceof Uint8Array ? [content] : content)
        if (chunk.length > 0) chunks.push(chunk);
      const digest = createHash('sha256');
      for (const chunk of chunks) digest.update(chunk);
      const sha256 = digest.digest('hex');
      const Body = Readable.from(chunks, { objectMode: false });
      const params = { ...target, Body, ContentType: contentType, Metadata: { sha256 } };
      await answer(new Upload({ client, params, partSize: partBytes, queueSize: 2 }).done());
      return { size: chunks.reduce((sum, { length }) => sum + length, 0), sha256 };
    },
    async open(key, range) {
      const found = await request(key, range);
      const part = resolveRange(found.object.size, range);
      const stream = Readable.from(read(key, found, part), { objectMode: false });
      // A stream that is destroyed before its first byte has not begun to read the body.
      stream.once('close', () => found.body.destroy());
      return { ...found.object, range: part, stream };
    },
    stat,
    async addressOf(key, { contentType, contentDisposition }) {
      if (!redirect) return undefined;
      const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
      const shown = { ResponseContentType: contentType, ResponseContentDisposition: contentDisposition };
      return await getSignedUrl(client, new GetObjectCommand({ ...objectOf(key), ...shown }), {
        expiresIn: addressSeconds,
      });
    },
    has: async key =>
      await stat(key).then(
        () => true,
        error => {
          if (error instanceof ServiceError && error.code === 'not-found') return false;
          throw error;
        },
      ),
    async delete(key) {
      await answer(client.send(new DeleteObjectCommand(objectOf(key))));
    },
    async storedBefore(time, after) {
      const from = after === undefined ? {} : { StartAfter: prefix + after };
      const page = await answer(client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, ...from })));
      const found = (page.Contents ?? []).flatMap(({ Key, LastModified }) =>
        Key === undefined || !LastModified ? [] : [{ key: Key.slice(prefix.length), isOld: LastModified < time }],
      );
      return {
        keys: found.filter(({ isOld }) => isOld).map(({ key }) => key),
        next: page.IsTruncated ? found.at(-1)?.key : undefined,
      };
    },
    /** The parts of unfinished uploads are removed by a lifecycle rule of the bucket (docs/production.md). */
    removeAbandoned: async () => 0,
  };
}

/** Both ends inclusive. */
type Part = Required<ByteRange>;

const describe = ({ ContentLength = 0, ContentType = '', Metadata = {} }: HeadObjectCommandOutput) => ({
  size: ContentLength,
  contentType: ContentType,
  sha256: Metadata.sha256 ?? '',
});

const statusOf = (error: unknown): number | undefined =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;

/** @throws ServiceError `not-found`, `storage-unavailable`; errors of the SDK for requests that the store rejects */
async function answer<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const status = statusOf(error);
    if (status === 404 && codeOfS3(error) !== 'NoSuchBucket') throw notStored();
    const isRejected = status !== undefined && status < 500 && status !== 429;
    if (isRejected || codeOfS3(error) === 'CredentialsProviderError') throw error;
    throw unavailable(error);
  }
}

const codeOfS3 = (error: unknown): string => (error instanceof Error ? error.name : '');

const unavailable = (cause: unknown): ServiceError =>
  new ServiceError('storage-unavailable', 'The store of results does not answer; try again later.', {
    cause,
    retryAfterSeconds: 10,
  });
