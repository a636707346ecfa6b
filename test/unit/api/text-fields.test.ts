/**
 * No text of a request takes more than linear time: each text field of each operation in the API document, at its maximum length,
 * is filled with repeated characters that make careless expressions backtrack, then parsed and, in a listing, checked.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiDocument } from '../../../api/document/api-document.ts';
import { loadOperations } from '../../../api/http/load-operations.ts';
import { parseInput } from '../../../api/http/parse-input.ts';
import { discoverContracts } from '../../../core/jobs/discover.ts';
import { contentOf } from '../../../workers/pdf/layout/view/listing-content.ts';
import { lintListings } from '../../../workers/pdf/lint/lint-listings.ts';
import { Listing } from '../../../workers/pdf/listing.ts';
import { type TextField, textFieldsOf } from '../../support/text-fields.ts';

/** Near misses of numbers, units, lists, markup, addresses and scripts. */
const atoms = [
  'a',
  'A',
  '1',
  '0',
  ' ',
  '.',
  ',',
  '-',
  '–',
  '\n',
  '\t',
  ' \t',
  '\n- ',
  '• ',
  '1,',
  '1.',
  'a.',
  'a@',
  'a@a.',
  'AED 1 ',
  '12 sq',
  'http://',
  '050 ',
  '+971',
  '<p',
  '<p ',
  '<b>',
  '<li ',
  '</',
  '<!--',
  '<a href="',
  '&amp;',
  '&#',
  '&#x',
  '((',
  '[',
  '{{',
  '**',
  '!?',
  '=',
  '"',
  '\\',
  'ا ',
  'ﷺ',
  '😀',
  'Яa',
  '中a',
  '\u00a0',
  '\u200b',
  '\u200f',
];

/** The length of a text whose field has no maximum but the request's. */
const longest = 60_000;

/** Shorter texts cannot take long, even in quadratic time. */
const shortest = 1_000;

/** Milliseconds below which the time is not worth a comparison. */
const short = 50;

/** Milliseconds that no text may take. */
const longestMs = 500;

const operations = await loadOperations();
const fields = textFieldsOf(apiDocument(operations, [...(await discoverContracts()).values()]));
const Body = z.looseObject({ list: z.array(z.unknown()).optional() });

/** CPU time in milliseconds, so that other load on the machine does not count; the least of five. */
async function millisecondsOf(work: () => Promise<void>): Promise<number> {
  const spent: number[] = [];
  for (let times = 0; times < 5 && (spent[0] ?? short) >= short; times++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    spent.push((user + system) / 1_000);
  }
  return Math.min(...spent);
}

async function read({ operation: id, bodyWith }: TextField, value: string): Promise<void> {
  const operation = operations.find(each => each.id === id);
  if (!operation) throw new Error(`no operation ${id}`);
  const body = bodyWith(value);
  await parseInput(operation, { params: {}, query: {}, body }).catch(() => undefined);
  for (const each of Body.safeParse(body).data?.list ?? []) {
    const listing = Listing.safeParse({
      reference_number: 'R-1',
      title_en: 'A home',
      ...z.looseObject({}).parse(each),
    }).data;
    if (!listing) continue;
    contentOf(listing);
    lintListings([listing]);
  }
}

const repeated = (atom: string, length: number): string => `${atom.repeat(Math.floor((length - 1) / atom.length))}!`;

it('are found in the API document', () => {
  expect(fields.length).toBeGreaterThan(400);
  expect(fields.map(({ pointer }) => pointer)).toContain('/list/0/description_en');
});

describe.each([...new Set(fields.map(({ operation }) => operation))])('the text fields of %s', id => {
  it('take at most half a second, and three times as long for twice the length', { timeout: 300_000 }, async () => {
    for (const field of fields.filter(({ operation }) => operation === id)) {
      const length = Math.min(field.maxLength ?? longest, longest);
      if (length < shortest) continue;
      for (const atom of atoms) {
        const whole = await millisecondsOf(() => read(field, repeated(atom, length)));
        if (whole < short) continue;
        expect(whole, `${field.pointer} with ${JSON.stringify(atom)}`).toBeLessThan(longestMs);
        const half = await millisecondsOf(() => read(field, repeated(atom, length / 2)));
        expect(whole / half, `${field.pointer} with ${JSON.stringify(atom)}: ${half} ms, ${whole} ms`).toBeLessThan(3);
      }
    }
  });
});
