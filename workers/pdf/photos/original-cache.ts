/**
 * Holds downloaded photos in memory until they are cropped, nearly always at once. Writing them to disk in between would
 * take a tenth of the time of a listing with new photos.
 */

interface Original {
  bytes: Buffer;
  isTaken: boolean;
  evictionTimer: NodeJS.Timeout;
}

/** Longer than a job takes from its first download to its last crop. */
const evictUnusedAfterMs = 5 * 60_000;
/** Long enough for a second crop: a document that is too large is made again with lower quality. */
const evictTakenAfterMs = 5_000;

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
    if (original && !original.isTaken) {
      clearTimeout(original.evictionTimer);
      original.evictionTimer = this.#evictAfter(evictTakenAfterMs, hash);
      original.isTaken = true;
    }
    return original?.bytes;
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
