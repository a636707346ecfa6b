/** The values used last, in memory, up to a number of bytes. */

interface Sized {
  content: Buffer;
}

export class RecentBuffers<T extends Sized> {
  readonly #maxBytes: number;
  /** A Map keeps the order of insertion: the first key is the one used longest ago. */
  readonly #entries = new Map<string, T>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
    return entry;
  }

  set(key: string, entry: T): void {
    this.#bytes += entry.content.length - (this.#entries.get(key)?.content.length ?? 0);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    for (const [oldest, { content }] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#entries.delete(oldest);
      this.#bytes -= content.length;
    }
  }
}
