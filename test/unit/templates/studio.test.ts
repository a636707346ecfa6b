/** The modules of the studio that need no browser. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const folder = new URL('../../../templates/studio/', import.meta.url);
const open = (name: string) => import(new URL(`${name}.js`, folder).href);
const { placeOf, readJson } = await open('json-text');
const { withValue, renamed, token, valueAt } = await open('values');
const { curlOf, typeScriptOf } = await open('snippets');

function parsed(text: string): unknown {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

describe('the JSON reader', () => {
  const pointersOf = (value: unknown, pointer = ''): string[] => [
    pointer,
    ...Object.entries(typeof value === 'object' && value !== null ? value : {}).flatMap(([name, inner]) =>
      pointersOf(inner, pointer + token(name)),
    ),
  ];

  it('reads every JSON text as JSON.parse does, and finds the text of each value', () =>
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 4 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const read = readJson(text);
        expect(read.fault).toBeUndefined();
        expect(read.value).toEqual(JSON.parse(text));
        for (const pointer of pointersOf(read.value)) {
          const { from, to } = placeOf(read, pointer);
          const part = text.slice(from, to);
          const isMember = /^"(?:[^"\\]|\\.)*"\s*:/.test(part);
          const inside = isMember ? Object.values(JSON.parse(`{${part}}`))[0] : JSON.parse(part);
          expect(inside).toEqual(valueAt({ '': read.value }, pointer));
        }
      }),
      { numRuns: 200 },
    ));

  it('finds the closest text around a value that is absent', () => {
    const read = readJson('{"list": [{"price": 1}]}');
    const textAt = (pointer: string) => {
      const { from, to } = placeOf(read, pointer);
      return read.text.slice(from, to);
    };
    expect(textAt('/list/0/title_en')).toBe('{"price": 1}');
    expect(textAt('/list/3')).toBe('"list": [{"price": 1}]');
  });

  it('finds an error where, and only where, JSON.parse finds one', () => {
    const characters = fc.constantFrom(
      '',
      '"',
      ',',
      '{',
      '}',
      '[',
      ']',
      ':',
      '\\',
      '0',
      '-',
      '.',
      'e',
      't',
      '\n',
      ' ',
      '\t',
      '\u0001',
    );
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.nat(), fc.nat(3), characters, (json, place, removed, added) => {
        const at = place % (json.length + 1);
        const text = json.slice(0, at) + added + json.slice(at + removed);
        const { value, fault } = readJson(text);
        expect(fault === undefined ? { value } : undefined).toEqual(parsed(text));
        if (fault) expect(fault.offset).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'A comma is missing before this text'],
    ['{\n  "a": 1,\n}', 3, 1, 'Remove the comma before this.'],
    ['{"a" 1}', 1, 6, 'A comma, a colon or a bracket is missing'],
    ['{a: 1}', 1, 2, 'a needs double quotes.'],
    ['["a\n"]', 1, 2, 'it has no closing quote, or a line break.'],
    ['[true, flase]', 1, 8, 'flase needs double quotes.'],
    ['{"list": [', 1, 11, 'The text ends too early'],
    ['', 1, 1, 'The text ends too early'],
    ['["🏠", x]', 1, 7, 'x needs double quotes.'],
  ])('says what is wrong with %j, and where', (text, line, column, message) => {
    const { fault } = readJson(text);
    expect(fault).toMatchObject({ line, column, message: expect.stringContaining(message) });
  });
});

describe('the values of a listing', () => {
  const order = ['crm_id', 'title_en', 'price', 'agent'];

  it('keep their order; a new one is placed as the form has it', () => {
    expect(Object.keys(withValue({ agent: {}, crm_id: 1 }, 'price', '1', order))).toEqual(['agent', 'crm_id', 'price']);
    expect(Object.keys(withValue({ crm_id: 1, agent: {} }, 'title_en', 'x', order))).toEqual([
      'crm_id',
      'title_en',
      'agent',
    ]);
    expect(Object.keys(withValue({ title_en: 'x', own: 1 }, 'crm_id', '1', order))).toEqual([
      'crm_id',
      'title_en',
      'own',
    ]);
    expect(Object.keys(withValue({ crm_id: 1 }, 'other', '1', order))).toEqual(['crm_id', 'other']);
  });

  it('are removed when they are empty, with an object that becomes empty', () => {
    const listing = { crm_id: 1, agent: { name: 'Layla' } };
    expect(withValue(listing, 'agent/name', undefined, order)).toEqual({ crm_id: 1 });
    expect(listing.agent.name).toBe('Layla');
  });

  it('are renamed at their place, also with a slash in the name', () => {
    expect(JSON.stringify(renamed({ titel_en: 'x', price: 1 }, 'titel_en', 'title_en'))).toBe(
      '{"title_en":"x","price":1}',
    );
    expect(renamed({ agent: { emial: 'x' } }, 'agent/emial', 'email')).toEqual({ agent: { email: 'x' } });
    expect(renamed({ 'a/b': 1 }, 'a~1b', 'c')).toEqual({ c: 1 });
  });
});

describe('the code', () => {
  const base = 'https://portal.example/v2';

  it('has the request unchanged, whatever its texts are', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.constantFrom("'", '"', '`', '$' + '{x}', "\\'", 'JSON', '\u2028', '__proto__', 'دبي'),
    );
    const listing = fc.dictionary(
      texts,
      fc.oneof(texts, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.array(texts), fc.constant(null)),
    );
    fc.assert(
      fc.property(fc.array(listing), list => {
        const body = JSON.parse(JSON.stringify({ list }));
        const [, sent = ''] = /<<'JSON'\n(.*)\nJSON\n$/s.exec(curlOf(base, 'new', body)) ?? [];
        expect(JSON.parse(sent)).toEqual(body);
        const [, written = ''] =
          /const listings = (.*);\n\nconst submitted/s.exec(typeScriptOf(base, 'new', body)) ?? [];
        expect(JSON.stringify(new Function(`return ${written}`)())).toBe(JSON.stringify(body.list));
      }),
      { numRuns: 300 },
    );
  });

  it('names the design and the options', () => {
    const body = { list: [], language: 'ar', cover: { for: 'Mr Smith' } };
    expect(typeScriptOf(base, 'classic', body)).toContain(
      "submitPdf(listings, { design: 'classic', language: 'ar', cover: { for: 'Mr Smith' } })",
    );
    expect(curlOf(base, 'classic', body)).toContain(`${base}/apps/portal/v1/pdf \\`);
  });
});
