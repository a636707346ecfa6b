/** The values used last, in memory, up to a number of bytes. */
export class RecentValues<T> {
  readonly #maxBytes: number;
  readonly #bytesOf: (value: T) => number;
  /** A Map keeps the order of insertion: the first key is the one used longest ago. */
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
