/** Members of rows in the forms that the property-project system may send. */
import { describe, expect, it } from 'vitest';
import { id, ids, money, number, optionalId } from '../../../../../core/integrations/property-projects/scalars.ts';

describe('an id', () => {
  it.each([
    ['7', '7'],
    [7, '7'],
  ])('%j is %j', (given, read) => expect(id.parse(given)).toBe(read));

  it.each([null, undefined, true])('is not %j', given => expect(id.safeParse(given).success).toBe(false));
});

it.each([
  [7, '7'],
  ['7', '7'],
  [null, null],
  [undefined, null],
])('an optional id %j is %j', (given, read) => expect(optionalId.parse(given)).toBe(read));

describe('a number', () => {
  it.each([
    ['2.5', 2.5],
    [0, 0],
    [null, null],
    [undefined, null],
  ])('%j is %j', (given, read) => expect(number.parse(given)).toBe(read));

  it('is not a word', () => expect(number.safeParse('two').success).toBe(false));
});

it.each([
  [
    [1, '2'],
    ['1', '2'],
  ],
  [null, []],
  [undefined, []],
])('ids %j are %j', (given, read) => expect(ids.parse(given)).toEqual(read));

describe('money', () => {
  it.each([
    [1_450_000, '1450000.00'],
    [0, '0.00'],
    ['1450000.5', '1450000.50'],
    ['', null],
    [null, null],
    [undefined, null],
  ])('%j is %j', (given, read) => expect(money.parse(given)).toBe(read));

  it('is not a list', () => expect(money.safeParse([1]).success).toBe(false));
});
