/** The parts of the photo cache in memory, each limited in bytes: recently used records, and originals to be cropped. */

/** Evicts the least recently used value first. */
export class RecentCache<T> {
  readonly #maxBytes: number;
  readonly #bytesOf: (value: T) => number;
  /** In the order of use: `get` and `set` move a value to the end. */
  readonly #values = new Map<string, T>();
  #bytes = 0;

  constructor(maxBytes: number, bytesOf: (value: T) => number) {
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
  }

  get(key: string): T | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) {
      this.#values.delete(key);
      this.#values.set(key, value);
    }
    return value;
  }

  set(key: string, value: T): void {
    this.#delete(key);
    this.#values.set(key, value);
    this.#bytes += this.#bytesOf(value);
    for (const oldest of this.#values.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#values.delete(key);
    this.#bytes -= this.#bytesOf(value);
  }
}

interface Original {
  bytes: Buffer;
  isTaken: boolean;
  evictionTimer: NodeJS.Timeout;
}

/** Longer than a job takes from its first download to its last crop. */
const evictUnusedAfterMs = 5 * 60_000;
/** Long enough for a second crop: a document that is too large is made again with lower quality. */
const evictTakenAfterMs = 5_000;

/**
 * Holds downloaded photos until they are cropped, nearly always at once. Writing them to disk in between would take a
 * tenth of the time of a listing with new photos.
 */
export class OriginalCache {
  readonly #maxBytes: number;
  /** By hash, in the order of arrival. */
  readonly #originals = new Map<string, Original>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns false when the originals that are not cropped yet leave no room for it */
  add(hash: string, bytes: Buffer): boolean {
    this.#evict(hash);
    for (const [other, { isTaken }] of this.#originals) {
      if (this.#bytes + bytes.length <= this.#maxBytes) break;
      if (isTaken) this.#evict(other);
    }
    if (this.#bytes + bytes.length > this.#maxBytes) return false;
    const evictionTimer = this.#evictAfter(evictUnusedAfterMs, hash);
    this.#originals.set(hash, { bytes, isTaken: false, evictionTimer });
    this.#bytes += bytes.length;
    return true;
  }

  take(hash: string): Buffer | undefined {
    const original = this.#originals.get(hash);
    if (!original) return undefined;
    if (!original.isTaken) {
      clearTimeout(original.evictionTimer);
      original.evictionTimer = this.#evictAfter(evictTakenAfterMs, hash);
      original.isTaken = true;
    }
    return original.bytes;
  }

  #evictAfter(ms: number, hash: string): NodeJS.Timeout {
    return setTimeout(() => this.#evict(hash), ms).unref();
  }

  #evict(hash: string): void {
    const original = this.#originals.get(hash);
    if (!original) return;
    clearTimeout(original.evictionTimer);
    this.#originals.delete(hash);
    this.#bytes -= original.bytes.length;
  }
}
