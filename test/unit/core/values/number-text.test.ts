import { describe, expect, it } from 'vitest';
import { isYes, numberOf } from '../../../../core/values/number-text.ts';

describe('numberOf', () => {
  it.each([
    ['1250000', 1_250_000],
    ['1,250,000', 1_250_000],
    ['1250000.00', 1_250_000],
    [' 3 ', 3],
    ['0', 0],
    ['', null],
    ['Studio', null],
    ['7+', null],
    ['1,25,000', null],
    ['1e9', null],
    ['-5', null],
    ['12345678901234567890', null],
    ['NaN', null],
  ])('reads "%s" as %s', (text, expected) => expect(numberOf(text)).toBe(expected));
});

describe('isYes', () => {
  it.each([
    ['yes', true],
    ['Y', true],
    ['1', true],
    ['TRUE', true],
    ['no', false],
    ['0', false],
    ['false', false],
    ['', false],
    ['perhaps', false],
  ])('of "%s" is %s', (text, expected) => expect(isYes(text)).toBe(expected));
});
