/** The number of SMS parts of a text, and the insertion of a link. */
import { describe, expect, it } from 'vitest';
import { partsOf, withLinks } from '../../../../../core/domain/telephony/send-sms.ts';

describe('a text in the 7-bit alphabet', () => {
  it.each([
    ['160 characters', 'a'.repeat(160), 1],
    ['161 characters', 'a'.repeat(161), 2],
    ['306 characters', 'a'.repeat(306), 2],
    ['307 characters', 'a'.repeat(307), 3],
    ['80 euro signs, which count twice', '€'.repeat(80), 1],
    ['81 euro signs', '€'.repeat(81), 2],
    ['2,000 characters', 'a'.repeat(2_000), 14],
  ])('%s', (_, text, parts) => expect(partsOf(text)).toEqual({ parts, encoding: 'GSM-7' }));
});

describe('any other text', () => {
  it.each([
    ['70 Arabic letters', 'م'.repeat(70), 1],
    ['71 Arabic letters', 'م'.repeat(71), 2],
    ['134 Arabic letters', 'م'.repeat(134), 2],
    ['135 Arabic letters', 'م'.repeat(135), 3],
    ['35 emoji, two units each', '🏡'.repeat(35), 1],
    ['36 emoji', '🏡'.repeat(36), 2],
    ['one Arabic letter among Latin ones', `${'a'.repeat(70)}م`, 2],
  ])('%s', (_, text, parts) => expect(partsOf(text)).toEqual({ parts, encoding: 'UCS-2' }));
});

it('withLinks replaces each {link} and {optout} by its link, whatever characters it contains', () => {
  expect(withLinks('{link} or {link}, {optout}', 'https://p.ae/r/$&', 'https://p.ae/r/$1')).toBe(
    'https://p.ae/r/$& or https://p.ae/r/$&, https://p.ae/r/$1',
  );
});
