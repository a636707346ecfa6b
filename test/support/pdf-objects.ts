/** Reads all objects of a PDF with one plain cross-reference table, for tests. Independent of workers/pdf/print. */
import { inflateSync } from 'node:zlib';

export class Name {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}
export class Reference {
  readonly number: number;

  constructor(number: number) {
    this.number = number;
  }
}
/** A string; `text` decodes UTF-16 with a byte order mark. */
export class PdfString {
  readonly bytes: string;

  constructor(bytes: string) {
    this.bytes = bytes;
  }

  get text(): string {
    if (!this.bytes.startsWith('\xfe\xff')) return this.bytes;
    return Buffer.from(this.bytes.slice(2), 'latin1').swap16().toString('utf16le');
  }
}
export class Operator {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}
export type Value = null | boolean | number | Name | Reference | PdfString | Operator | Value[] | Dictionary;
export class Dictionary extends Map<string, Value> {}

const token =
  /(?:\s|%[^\n]*)*(?:(<<|>>|\[|\])|\/([^\s()<>[\]{}/%]*)|<([0-9A-Fa-f\s]*)>|(\()|([+-]?(?:\d+\.?\d*|\.\d+))(?![\w.])|([^\s()<>[\]{}/%]+))/y;
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Reads values from text in Latin-1, one at each call. */
export class Reader {
  at: number;
  readonly #text: string;

  constructor(text: string, at = 0) {
    this.#text = text;
    this.at = at;
  }

  /** Undefined at the end. */
  next(): Value | undefined {
    const read = this.#token();
    return read === '>>' || read === ']' ? undefined : read;
  }

  #token(): Value | undefined | '>>' | ']' {
    token.lastIndex = this.at;
    const match = token.exec(this.#text);
    if (!match) return undefined;
    this.at = token.lastIndex;
    const [, bracket, name, hex, opening, number, word] = match;
    if (bracket === '<<') return this.#dictionary();
    if (bracket === '[') return this.#list();
    if (bracket === '>>' || bracket === ']') return bracket;
    if (name !== undefined)
      return new Name(name.replace(/#(..)/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))));
    if (hex !== undefined) return new PdfString(Buffer.from(hex.replace(/\s/g, ''), 'hex').toString('latin1'));
    if (opening !== undefined) return this.#string();
    if (number !== undefined) return this.#numberOrReference(number);
    if (word === 'true' || word === 'false') return word === 'true';
    return word === 'null' ? null : new Operator(word ?? '');
  }

  #numberOrReference(number: string): number | Reference {
    const rest = / \d+ R(?!\w)/y;
    rest.lastIndex = this.at;
    if (!rest.test(this.#text)) return Number(number);
    this.at = rest.lastIndex;
    return new Reference(Number(number));
  }

  #list(): Value[] {
    const list: Value[] = [];
    for (;;) {
      const value = this.#token();
      if (value === ']') return list;
      if (value === undefined || value === '>>') throw new Error(`A list has no end before ${this.at}.`);
      list.push(value);
    }
  }

  #dictionary(): Dictionary {
    const dictionary = new Dictionary();
    for (;;) {
      const key = this.#token();
      if (key === '>>') return dictionary;
      if (!(key instanceof Name)) throw new Error(`A dictionary has no end before ${this.at}.`);
      const value = this.next();
      if (value === undefined) throw new Error(`The entry ${key.name} has no value.`);
      dictionary.set(key.name, value);
    }
  }

  #string(): PdfString {
    let bytes = '';
    for (let depth = 1; ; this.at++) {
      const character = this.#text.charAt(this.at);
      if (character === '') throw new Error('A string has no end.');
      if (character === '(') depth++;
      if (character === ')' && --depth === 0) break;
      if (character !== '\\') {
        bytes += character;
        continue;
      }
      const octal = /^[0-7]{1,3}/.exec(this.#text.slice(this.at + 1, this.at + 4))?.[0];
      const escaped = octal ?? this.#text.charAt(this.at + 1);
      bytes += octal === undefined ? (escapes[escaped] ?? escaped) : String.fromCharCode(Number.parseInt(octal, 8));
      this.at += escaped.length;
    }
    this.at++;
    return new PdfString(bytes);
  }
}

export class PdfObjects {
  readonly trailer: Dictionary;
  readonly #objects = new Map<number, { value: Value; stream?: Buffer }>();

  constructor(bytes: Buffer) {
    const text = bytes.toString('latin1');
    const tableAt = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(text)?.[1]);
    const [opening = '', count] = /^xref\s+0 (\d+)\s*\n/.exec(text.slice(tableAt, tableAt + 40)) ?? [];
    if (opening === '') throw new Error('The PDF has no plain cross-reference table.');
    for (let number = 0; number < Number(count); number++) {
      const entryAt = tableAt + opening.length + number * 20;
      const [, offset, use] = /^(\d{10}) \d{5} ([nf]) \n$/.exec(text.slice(entryAt, entryAt + 20)) ?? [];
      if (use === undefined) throw new Error(`The entry of object ${number} is damaged.`);
      if (use === 'n') this.#objects.set(number, readObject(bytes, text, number, Number(offset)));
    }
    const trailer = new Reader(text, text.indexOf('trailer', tableAt) + 'trailer'.length).next();
    if (!(trailer instanceof Dictionary)) throw new Error('The PDF has no trailer.');
    this.trailer = trailer;
  }

  get numbers(): number[] {
    return [...this.#objects.keys()];
  }

  /** Follows references. */
  resolve(value: Value | undefined): Value {
    return value instanceof Reference ? this.resolve(this.#objects.get(value.number)?.value) : (value ?? null);
  }

  /** An empty one when the value is none. */
  dictionary(value: Value | undefined): Dictionary {
    const resolved = this.resolve(value);
    return resolved instanceof Dictionary ? resolved : new Dictionary();
  }

  /** Wraps a single value. */
  list(value: Value | undefined): Value[] {
    const resolved = this.resolve(value);
    if (resolved === null) return [];
    return Array.isArray(resolved) ? resolved : [value ?? null];
  }

  name(value: Value | undefined): string | undefined {
    const resolved = this.resolve(value);
    return resolved instanceof Name ? resolved.name : undefined;
  }

  text(value: Value | undefined): string | undefined {
    const resolved = this.resolve(value);
    return resolved instanceof PdfString ? resolved.text : undefined;
  }

  /** The decoded data of a stream. */
  stream(value: Value | undefined): Buffer | undefined {
    const stream = value instanceof Reference ? this.#objects.get(value.number)?.stream : undefined;
    if (stream === undefined) return undefined;
    return this.name(this.dictionary(value).get('Filter')) === 'FlateDecode' ? inflateSync(stream) : stream;
  }
}

function readObject(bytes: Buffer, text: string, number: number, offset: number) {
  const opening = `${number} 0 obj`;
  if (!text.startsWith(opening, offset)) throw new Error(`Object ${number} is not at its offset.`);
  const reader = new Reader(text, offset + opening.length);
  const value = reader.next() ?? null;
  const keyword = /\s*stream\r?\n/y;
  keyword.lastIndex = reader.at;
  if (!(value instanceof Dictionary) || !keyword.test(text)) return { value };
  const length = value.get('Length');
  if (typeof length !== 'number') throw new Error(`The stream ${number} has no direct length.`);
  const end = keyword.lastIndex + length;
  if (!/^\s*endstream/.test(text.slice(end, end + 12))) throw new Error(`The length of stream ${number} is wrong.`);
  return { value, stream: bytes.subarray(keyword.lastIndex, end) };
}
