/** Storage of results: whole objects under keys. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ServiceError } from '../runtime/errors.ts';

export interface StoredObject {
  /** Bytes. */
  size: number;
  contentType: string;
  /** SHA-256 of the content in hex: a strong ETag. */
  sha256: string;
}

/** Bytes `start` to `end`, both inclusive and counted from 0; without `end`, to the last one. */
export interface ByteRange {
  start: number;
  end?: number;
}

export interface OpenedObject extends StoredObject {
  /** The bytes of `stream`. */
  range: { start: number; end: number };
  /** Read it to its end or destroy it. */
  stream: Readable;
}

export interface Store {
  /**
   * Stores an object, or replaces the one under this key, atomically.
   * @throws the stream's error; then nothing is stored
   */
  put(
    key: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    about: { contentType: string },
  ): Promise<Pick<StoredObject, 'size' | 'sha256'>>;
  /**
   * An object that is replaced or deleted meanwhile can still be read to its end.
   * @param range default: the whole object
   * @throws ServiceError `not-found`; `range-not-satisfiable` for a range that begins after the end
   */
  open(key: string, range?: ByteRange): Promise<OpenedObject>;
  /** @throws ServiceError `not-found` */
  stat(key: string): Promise<StoredObject>;
  has(key: string): Promise<boolean>;
  /** Idempotent. */
  delete(key: string): Promise<void>;
  /** Keys of the objects stored before a time, in no order. */
  storedBefore(time: Date): AsyncIterable<string>;
  /** Deletes unfinished files of killed processes. @returns their number */
  removeAbandoned(): Promise<number>;
}

/** As large as a small brochure. */
const probeBytes = 500_000;

/** Writes, reads and deletes an object. @throws errors of the disk; Error when other bytes were read */
export async function probeStore(results: Store): Promise<void> {
  const key = `doctor/${randomUUID()}`;
  const written = randomBytes(probeBytes);
  await results.put(key, written, { contentType: 'text/plain' });
  const stored = await buffer((await results.open(key)).stream);
  await results.delete(key);
  if (!stored.equals(written)) throw new Error('it returns other bytes than were written');
}

/** Lower case only, because some file systems ignore case; no part begins with a dot. */
const keyForm = /^[a-z0-9_-][a-z0-9._-]*(\/[a-z0-9_-][a-z0-9._-]*)*$/;
const maxKeyLength = 200;

/** @throws TypeError; the program makes the keys, so that an invalid one is a bug or an attack */
export function checkKey(key: string): void {
  if (key.length > maxKeyLength || !keyForm.test(key)) throw new TypeError(`not a storage key: ${JSON.stringify(key)}`);
}

export const notStored = () => new ServiceError('not-found', 'The file is not stored (any more).');

/** @throws ServiceError `range-not-satisfiable` (RFC 9110 §15.5.17), with `Content-Range` */
export function resolveRange(size: number, range: ByteRange = { start: 0 }): { start: number; end: number } {
  const end = Math.min(range.end ?? size - 1, size - 1);
  const isWholeEmptyObject = size === 0 && range.start === 0 && range.end === undefined;
  if (!isWholeEmptyObject && (range.start < 0 || range.start > end)) {
    throw new ServiceError('range-not-satisfiable', `The file has ${size} bytes.`, {
      headers: { 'content-range': `bytes */${size}` },
    });
  }
  return { start: range.start, end };
}
