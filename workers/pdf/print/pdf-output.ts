/** Bytes that have not been taken yet, and where each object begins in the file. */
export class PdfOutput {
  /** By object number. */
  readonly offsets: number[] = [];
  bytes = 0;
  #taken: Buffer[] = [];
  #text = '';

  /** In Latin-1. */
  text(text: string): void {
    this.#text += text;
    this.bytes += text.length;
  }

  object(number: number, ...body: readonly (string | Buffer)[]): void {
    this.offsets[number] = this.bytes;
    this.text(`${number} 0 obj\n`);
    for (const each of body) {
      if (typeof each === 'string') this.text(each);
      else this.#data(each);
    }
  }

  take(): Buffer[] {
    this.#flush();
    const taken = this.#taken;
    this.#taken = [];
    return taken;
  }

  #data(data: Buffer): void {
    this.#flush();
    this.#taken.push(data);
    this.bytes += data.length;
  }

  #flush(): void {
    if (this.#text !== '') this.#taken.push(Buffer.from(this.#text, 'latin1'));
    this.#text = '';
  }
}
