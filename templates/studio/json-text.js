/** Reads JSON text: its value, the place of each value, and the place of a syntax error. */

/** @typedef {{ start: number, end: number }} Span in the text; of a member with its name */
/** @typedef {{ value: unknown, spans: Map<string, Span>, fault: SyntaxFault | undefined }} Read value: undefined with a fault */
/** @typedef {{ offset: number, line: number, column: number, message: string }} SyntaxFault line and column from 1 */

const maxDepth = 64;
const stringPattern = /"[^"\\\p{Cc}]*(?:(?:[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))[^"\\\p{Cc}]*)*/uy;
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const wordPattern = /[\p{L}\p{N}_$]+/uy;

class Fault extends Error {
  /**
   * @param {string} message
   * @param {number} offset
   */
  constructor(message, offset) {
    super(message);
    this.offset = offset;
  }
}

/** The token of a JSON Pointer (RFC 6901). @param {string | number} key */
export const token = key => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

class Reader {
  /** @type {Map<string, Span>} */
  spans = new Map();
  at = 0;

  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  /** @returns {unknown} */
  document() {
    const value = this.value('', 0);
    this.skip();
    if (this.at < this.text.length) throw new Fault('Nothing may follow the end of the request.', this.at);
    return value;
  }

  skip() {
    while (/[ \t\r\n]/.test(this.text[this.at] ?? '')) this.at++;
  }

  /** @param {RegExp} pattern sticky */
  match(pattern) {
    pattern.lastIndex = this.at;
    const [found = ''] = pattern.exec(this.text) ?? [];
    this.at += found.length;
    return found;
  }

  /**
   * @param {string} pointer
   * @param {number} depth
   * @param {number} [from] of the span; default: here
   * @returns {unknown}
   */
  value(pointer, depth, from) {
    this.skip();
    const start = from ?? this.at;
    if (depth > maxDepth) throw new Fault(`Values are nested at most ${maxDepth} levels deep.`, this.at);
    const first = this.text[this.at];
    const value =
      first === '{'
        ? this.object(pointer, depth)
        : first === '['
          ? this.array(pointer, depth)
          : first === '"'
            ? this.string()
            : this.literal();
    this.spans.set(pointer, { start, end: this.at });
    return value;
  }

  literal() {
    const start = this.at;
    const number = this.match(numberPattern);
    const word = this.match(wordPattern);
    if (number !== '' && word === '') return Number(number);
    if (number === '' && (word === 'true' || word === 'false')) return word === 'true';
    if (number === '' && word === 'null') return null;
    if (number !== '') throw new Fault(`${number}${word} is not a valid number.`, start);
    if (word !== '') throw new Fault(`${word} is not a value: texts need double quotes.`, start);
    if (start === this.text.length) throw new Fault('The text ends where a value is expected.', start);
    throw new Fault(`A value is expected here, not ${this.text[start]}.`, start);
  }

  string() {
    const start = this.at;
    this.match(stringPattern);
    const stop = this.text[this.at];
    if (stop === '"') return String(JSON.parse(this.text.slice(start, ++this.at)));
    if (stop === '\\')
      throw new Fault('After a backslash, only " \\ / b f n r t and u with four digits are valid.', this.at);
    if (stop === undefined || stop === '\n' || stop === '\r') throw new Fault('This text has no closing quote.', start);
    throw new Fault('Control characters are written with a backslash: a tab is \\t.', this.at);
  }

  /**
   * Reads members up to the closing bracket.
   * @param {string} close
   * @param {(count: number) => void} readMember
   */
  members(close, readMember) {
    const opened = this.at++;
    this.skip();
    for (let count = 0; this.text[this.at] !== close; count++) {
      this.rejectEnd(opened, close);
      readMember(count);
      this.skip();
      this.rejectEnd(opened, close);
      const comma = this.at;
      if (this.text[comma] === close) break;
      if (this.text[comma] !== ',') throw new Fault(`A comma or ${close} is missing before this.`, comma);
      this.at++;
      this.skip();
      if (this.text[this.at] === close) throw new Fault(`Remove this comma: ${close} follows.`, comma);
    }
    this.at++;
  }

  /** @param {number} opened @param {string} close */
  rejectEnd(opened, close) {
    if (this.at < this.text.length) return;
    const { line } = lineAt(this.text, opened);
    throw new Fault(`The text ends before the ${close} that closes the ${this.text[opened]} in line ${line}.`, this.at);
  }

  /**
   * @param {string} pointer
   * @param {number} depth
   */
  array(pointer, depth) {
    /** @type {unknown[]} */
    const items = [];
    this.members(']', index => items.push(this.value(pointer + token(index), depth + 1)));
    return items;
  }

  /**
   * @param {string} pointer
   * @param {number} depth
   */
  object(pointer, depth) {
    /** @type {[string, unknown][]} */
    const members = [];
    this.members('}', () => {
      const start = this.at;
      if (this.text[start] !== '"') throw new Fault('The name of a member is expected here, in double quotes.', start);
      const name = this.string();
      this.skip();
      if (this.text[this.at] !== ':') throw new Fault(`A colon is missing after "${name}".`, this.at);
      this.at++;
      members.push([name, this.value(pointer + token(name), depth + 1, start)]);
    });
    return Object.fromEntries(members);
  }
}

/**
 * @param {string} text
 * @returns {Read}
 */
export function readJson(text) {
  const reader = new Reader(text);
  try {
    return { value: reader.document(), spans: reader.spans, fault: undefined };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { offset, message } = error;
    return { value: undefined, spans: reader.spans, fault: { offset, message, ...lineAt(text, offset) } };
  }
}

/**
 * @param {string} text
 * @param {number} offset
 */
export function lineAt(text, offset) {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: [...before.slice(start)].length + 1 };
}
