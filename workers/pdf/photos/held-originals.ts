/**
 * Downloaded photos in memory until they are cut, which is nearly always at once. A file for each would be written for
 * nothing, and that takes a tenth of the time of a listing with new photos.
 */

interface Held {
  bytes: Buffer;
  isTaken: boolean;
  /** Gives it up. */
  timer: NodeJS.Timeout;
}

/** Longer than a job takes from its first photo to cutting the last: nobody wants it any more. */
const waitingMs = 5 * 60_000;
/** A document that turns out too large is made again with coarser photos. */
const takenMs = 5_000;

export class HeldOriginals {
  readonly #maxBytes: number;
  /** In the order they came, by hash. */
  readonly #held = new Map<string, Held>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns false when there is no room for it beside those that still wait to be cut */
  hold(hash: string, bytes: Buffer): boolean {
    this.#giveUp(hash);
    for (const [other, { isTaken }] of this.#held) {
      if (this.#bytes + bytes.length <= this.#maxBytes) break;
      if (isTaken) this.#giveUp(other);
    }
    if (this.#bytes + bytes.length > this.#maxBytes) return false;
    this.#held.set(hash, { bytes, isTaken: false, timer: this.#giveUpIn(waitingMs, hash) });
    this.#bytes += bytes.length;
    return true;
  }

  take(hash: string): Buffer | undefined {
    const held = this.#held.get(hash);
    if (!held) return undefined;
    if (!held.isTaken) {
      clearTimeout(held.timer);
      held.timer = this.#giveUpIn(takenMs, hash);
      held.isTaken = true;
    }
    return held.bytes;
  }

  #giveUpIn(ms: number, hash: string): NodeJS.Timeout {
    return setTimeout(() => this.#giveUp(hash), ms).unref();
  }

  #giveUp(hash: string): void {
    const held = this.#held.get(hash);
    if (!held) return;
    clearTimeout(held.timer);
    this.#held.delete(hash);
    this.#bytes -= held.bytes.length;
  }
}
