/** The maps of fonts from character codes to Unicode, which Skia leaves incomplete for Arabic (ISO 32000-1, 9.10.3). */
import { type PdfObjects, PdfStructureError } from './pdf-file.ts';

interface CharacterMap {
  /** Object number. */
  stream: number;
  source: string;
  /** By code in hex. */
  characters: Map<string, string>;
  languages: Map<string, Language | undefined>;
  isChanged: boolean;
}

const mapping = /<(\w{4})> <(\w+)>(?: <(\w+)>)?/g;
const inText = /\/F(\d+) \S+ Tf|\/ActualText <(?:FEFF|feff)?(\w*)>|(EMC)|<(\w+)>/g;
/** Entries of one operator (ISO 32000-1, 9.10.3). */
const maxBlock = 100;
const invalid = /[\0\ufeff\ufffe]/;
/** For the dots of a letter whose other glyph has the letter. */
const joiner = '\u200d';
const scripts = [
  ['en', /\p{Script=Latin}/u],
  ['ar', /\p{Script=Arabic}/u],
  ['ru', /\p{Script=Cyrillic}/u],
  ['zh', /\p{Script=Han}/u],
  ['hi', /\p{Script=Devanagari}/u],
] as const;
type Language = (typeof scripts)[number][0];

const decoded = (hex: string) => Buffer.from(hex, 'hex').swap16().toString('utf16le');
const encoded = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase();
const languageOf = (text: string) => scripts.find(([, script]) => script.test(text))?.[0];

export class CharacterMaps {
  readonly #objects: PdfObjects;
  readonly #maps = new Map<string, CharacterMap>();

  constructor(objects: PdfObjects) {
    this.#objects = objects;
  }

  /**
   * Learns the characters of glyphs without one from the replacement text around them.
   * @param text a text object of a content stream
   * @returns the language of its script; undefined without letters
   */
  read(text: string): Language | undefined {
    const isComplete = !text.includes('/ActualText');
    let map: CharacterMap | undefined;
    let actual: string | undefined;
    let cluster: string[] = [];
    let lang: Language | undefined;
    inText.lastIndex = 0;
    for (let match = inText.exec(text); match !== null; match = inText.exec(text)) {
      const [, font, replacement, isEnd, codes] = match;
      if (codes !== undefined) {
        for (let at = 0; at < codes.length && !(isComplete && lang); at += 4) {
          const code = codes.slice(at, at + 4).toUpperCase();
          cluster.push(code);
          lang ??= actual === undefined ? map?.languages.get(code) : languageOf(actual);
        }
        if (isComplete && lang) return lang;
      } else if (font !== undefined) map = this.#mapOf(font);
      else if (replacement !== undefined) [actual, cluster] = [decoded(replacement), []];
      else if (isEnd) {
        if (map && actual !== undefined) learn(map, cluster, actual);
        [actual, cluster] = [undefined, []];
      }
    }
    return lang;
  }

  /** The completed maps by object number. */
  *changed(): Generator<[number, string]> {
    for (const { stream, source, characters, isChanged } of this.#maps.values()) {
      if (!isChanged) continue;
      const lines = [...characters].map(([code, text]) => `<${code}> <${encoded(text)}>\n`);
      let blocks = '';
      for (let at = 0; at < lines.length; at += maxBlock) {
        const block = lines.slice(at, at + maxBlock);
        blocks += `${block.length} beginbfchar\n${block.join('')}endbfchar\n`;
      }
      yield [stream, source.replace(/(?<=endcodespacerange\n).*(?=endcmap)/s, () => blocks)];
    }
  }

  #mapOf(font: string): CharacterMap {
    const known = this.#maps.get(font);
    if (known) return known;
    const stream = Number(/\/ToUnicode (\d+) 0 R/.exec(this.#objects.text(Number(font)))?.[1]);
    if (Number.isNaN(stream)) throw new PdfStructureError(`The font ${font} has no map to Unicode.`);
    const source = this.#objects.stream(stream);
    const characters = new Map<string, string>();
    for (const [, from = '', to = '', first] of source.slice(source.indexOf('endcodespacerange')).matchAll(mapping)) {
      const [start, text] = [Number.parseInt(from, 16), decoded(first ?? to)];
      const last = first === undefined ? start : Number.parseInt(to, 16);
      for (let code = start; code <= last && !invalid.test(text); code++) {
        const character = code === start ? text : String.fromCharCode(text.charCodeAt(0) + code - start);
        characters.set(code.toString(16).toUpperCase().padStart(4, '0'), character);
      }
    }
    const languages = new Map([...characters].map(([code, character]) => [code, languageOf(character)] as const));
    const map = { stream, source, characters, languages, isChanged: false };
    this.#maps.set(font, map);
    return map;
  }
}

/** @param cluster the glyphs of a text, of which the last one is the letter */
function learn(map: CharacterMap, cluster: readonly string[], text: string): void {
  const unknown = cluster.filter(code => !map.characters.has(code));
  const isLetterKnown = unknown.length < cluster.length;
  for (const code of unknown) map.characters.set(code, code === cluster.at(-1) && !isLetterKnown ? text : joiner);
  map.isChanged ||= unknown.length > 0;
}
