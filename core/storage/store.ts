/** Where results are kept: whole objects under keys, wherever they live. */
import type { Readable } from 'node:stream';
import { ServiceError } from '../runtime/errors.ts';

export interface StoredObject {
  /** Bytes of the whole object. */
  size: number;
  contentType: string;
  /** sha256 of the content in hex: a strong ETag. */
  sha256: string;
}

/** Bytes from `start` to `end`, both included and counted from 0; without `end`, to the last one. */
export interface ByteRange {
  start: number;
  end?: number;
}

export interface OpenedObject extends StoredObject {
  /** What `stream` gives; the whole object unless a range was asked for. */
  range: { start: number; end: number };
  /** Must be read to its end or destroyed. */
  stream: Readable;
}

export interface Store {
  /**
   * Stores an object under a key, in place of what was there. It appears whole or not at all.
   * @throws what the stream throws; then nothing is stored
   */
  put(
    key: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    about: { contentType: string },
  ): Promise<Pick<StoredObject, 'size' | 'sha256'>>;
  /**
   * Opens an object for reading; one that is replaced or deleted meanwhile is still read to its end.
   * @throws ServiceError `not-found`; `range-not-satisfiable` for a range that begins behind the end
   */
  open(key: string, range?: ByteRange): Promise<OpenedObject>;
  /** @throws ServiceError `not-found` */
  stat(key: string): Promise<StoredObject>;
  has(key: string): Promise<boolean>;
  /** Deletes what is there; nothing there is no error. */
  delete(key: string): Promise<void>;
  /** The keys of what was stored before a time, in no order. */
  storedBefore(time: Date): AsyncIterable<string>;
  /** Deletes what killed processes left unfinished. @returns how many there were */
  removeAbandoned(): Promise<number>;
}

/** Lower case only, so that a key means one file on every file system; no part begins with a dot. */
const keyForm = /^[a-z0-9_-][a-z0-9._-]*(\/[a-z0-9_-][a-z0-9._-]*)*$/;
const maxKeyLength = 200;

/** Keys are made by us: a wrong one is a fault of the program, or an attack that got this far. */
export function checkKey(key: string): void {
  if (key.length > maxKeyLength || !keyForm.test(key))
    throw new TypeError(`not a storage key: ${JSON.stringify(key)}`);
}

export function notStored(): ServiceError {
  return new ServiceError('not-found', 'The file is not stored (any more).');
}

/**
 * The bytes to read of an object.
 * @throws ServiceError `range-not-satisfiable` (RFC 9110 §15.5.17), with `Content-Range`
 */
export function resolveRange(size: number, range: ByteRange = { start: 0 }): { start: number; end: number } {
  const end = Math.min(range.end ?? size - 1, size - 1);
  const wholeOfNothing = size === 0 && range.start === 0 && range.end === undefined;
  if (!wholeOfNothing && (range.start < 0 || range.start > end)) {
    throw new ServiceError('range-not-satisfiable', `The file has ${size} bytes.`, {
      headers: { 'content-range': `bytes */${size}` },
    });
  }
  return { start: range.start, end };
}
