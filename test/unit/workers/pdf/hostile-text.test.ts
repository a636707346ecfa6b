/** Texts that could make regular expressions backtrack: parsing a listing takes time proportional to its length. */
import { describe, expect, it } from 'vitest';
import { contentOf } from '../../../../workers/pdf/layout/view/listing-content.ts';
import { lintListings } from '../../../../workers/pdf/lint/lint-listings.ts';
import { Listing } from '../../../../workers/pdf/listing.ts';

/** Near misses of numbers, units, lists, markup and addresses, to be repeated. */
const repeated = [
  'a',
  '1',
  ' ',
  '.',
  '\n',
  '\n- ',
  '• ',
  '1,',
  'a.',
  'a@',
  'a@a.',
  'AED 1 ',
  '12 sq',
  'http://',
  '050 ',
  '<b>',
  '<a href="',
  '&amp;',
  '((',
  '!?',
  '=',
  '**',
  '{{',
  'ا ',
  'ﷺ',
  '😀',
  '\u00a0',
  '\u200f',
  '<p',
  '<p ',
  '<li ',
  '</',
  '<!--',
  '&#',
  '&#x',
  ' \t',
  '\t',
  ',',
  '1.',
  '0',
  '–',
  '[',
  '\u200b',
];

/** CPU time, so that other load on the machine does not count. */
function millisecondsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe.each([
  ['description_en', 50_000],
  ['amenities', 10_000],
  ['title_en', 1_000],
])('%s of %i characters', (field, length) => {
  it('of any repeated text is parsed and checked within half a second of CPU time', () => {
    for (const text of repeated) {
      const value = `${text.repeat(Math.floor((length - 1) / text.length))}!`;
      const listing = Listing.parse({ reference_number: 'R-1', title_en: 'A home', [field]: value });
      const spent = millisecondsOf(() => {
        contentOf(listing);
        lintListings([listing]);
      });
      expect(spent, JSON.stringify(text)).toBeLessThan(500);
    }
  }, 60_000);
});
