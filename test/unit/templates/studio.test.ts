/** The modules of the studio that need no browser. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const folder = new URL('../../../templates/studio/', import.meta.url);
const open = (name: string) => import(new URL(`${name}.js`, folder).href);
const { readJson } = await open('json-text');
const { withValue, renamed, valueAt } = await open('values');
const { curlOf, typeScriptOf } = await open('snippets');
const { openHistory } = await open('history');

function parsed(text: string): unknown {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

describe('the JSON reader', () => {
  it('reads every JSON text as JSON.parse does, and the text of each place is its value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 4 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const { value: read, spans, fault } = readJson(text);
        expect(fault).toBeUndefined();
        expect(read).toEqual(JSON.parse(text));
        for (const [pointer, { start, end }] of spans) {
          const part = text.slice(start, end);
          const isMember = /^"(?:[^"\\]|\\.)*"\s*:/.test(part);
          const inside = isMember ? Object.values(JSON.parse(`{${part}}`))[0] : JSON.parse(part);
          expect(valueAt({ '': read }, pointer)).toEqual(inside);
        }
      }),
      { numRuns: 200 },
    );
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
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'A comma or } is missing before this.'],
    ['{\n  "a": 1,\n}', 2, 9, 'Remove this comma: } follows.'],
    ['{"a" 1}', 1, 6, 'A colon is missing after "a".'],
    ['{a: 1}', 1, 2, 'The name of a member is expected here, in double quotes.'],
    ['["a\n"]', 1, 2, 'This text has no closing quote.'],
    ['["a\\q"]', 1, 4, 'After a backslash, only'],
    ["['a']", 1, 2, 'A value is expected here'],
    ['[true, flase]', 1, 8, 'flase is not a value'],
    ['[007]', 1, 2, '007 is not a valid number.'],
    ['{"list": [', 1, 11, 'The text ends before the ] that closes the [ in line 1.'],
    ['[] x', 1, 4, 'Nothing may follow the end'],
    ['', 1, 1, 'The text ends where a value is expected.'],
    ['["🏠", x]', 1, 7, 'x is not a value'],
    [`${'['.repeat(80)}${']'.repeat(80)}`, 1, 66, 'at most 64 levels'],
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

describe('the history', () => {
  it('undoes what was typed in one place together, and redoes it', () => {
    const history = openHistory('');
    for (const text of ['a', 'ab', 'abc']) history.add(text, 'title');
    history.add('abc!', 'price');
    expect([history.undo(), history.undo(), history.canUndo(), history.redo()]).toEqual(['abc', '', false, 'abc']);
    history.add('abc?', 'title');
    expect([history.canRedo(), history.undo()]).toEqual([false, 'abc']);
  });
});
