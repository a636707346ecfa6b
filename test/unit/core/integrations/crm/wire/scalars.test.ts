/** The CRM's scalars: what each accepts, and what it rejects. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  Id,
  IdOrNull,
  Money,
  mapOf,
  Semantic,
  Text,
  TextOrNull,
  Time,
  TimeOrNull,
  YesNo,
} from '../../../../../../core/integrations/crm/wire/scalars.ts';

const rejects = (schema: z.ZodType, ...values: unknown[]) =>
  expect(values.filter(value => schema.safeParse(value).success)).toEqual([]);

it('an id is a whole number', () => rejects(Id, '', 'a7', '7a', '7.5', 7.5, null, undefined));

describe('an id or null', () => {
  it.each([
    ['7', 7],
    [7, 7],
    [undefined, null],
  ])('%j is %j', (given, read) => expect(IdOrNull.parse(given)).toBe(read));

  it('is not a word', () => rejects(IdOrNull, 'x', false));
});

describe('a text', () => {
  it.each([
    ['a', 'a', 'a'],
    ['', '', null],
    [null, '', null],
    [undefined, '', null],
  ])('%j is %j, or %j', (given, text, textOrNull) =>
    expect([Text.parse(given), TextOrNull.parse(given)]).toEqual([text, textOrNull]),
  );

  it('may be a number where null is possible', () => {
    expect(TextOrNull.parse(7)).toBe('7');
    rejects(Text, 7, {});
    rejects(TextOrNull, {}, true);
  });
});

describe('a time', () => {
  const time = new Date('2024-09-02T15:37:18Z');

  it('has an offset', () => {
    expect(Time.parse('2024-09-02T18:37:18+03:00')).toEqual(time);
    rejects(Time, '2024-09-02', '2024-09-02T18:37:18', '', null);
  });

  it.each([
    ['2024-09-02T18:37:18+03:00', time],
    ['', null],
    [null, null],
    [undefined, null],
  ])('or null: %j is %j', (given, read) => expect(TimeOrNull.parse(given)).toEqual(read));

  it('or null is nothing else', () => rejects(TimeOrNull, 'soon', 7));
});

describe('money', () => {
  it.each([
    ['100', '100.00'],
    [5, '5.00'],
    [undefined, '0.00'],
    ['1.500', '1.50'],
    ['0.1000', '0.10'],
    ['10.00', '10.00'],
  ])('%j is %j', (given, read) => expect(Money.parse(given)).toBe(read));

  it('is a decimal', () => rejects(Money, 'a5', '5a', '5.', '.5', '--5', ' 5', true));
});

it('yes or no is nothing else', () => rejects(YesNo, 'maybe', undefined, 'y', 1));

it.each([
  ['S', 'won'],
  ['F', 'lost'],
  ['P', 'open'],
  [null, 'open'],
])('the semantic %j is %s', (given, read) => expect(Semantic.parse(given)).toBe(read));

describe('a map', () => {
  const Numbers = mapOf(z.int());

  it('may arrive as an empty list', () => {
    expect([Numbers.parse([]), Numbers.parse({ a: 1 })]).toEqual([{}, { a: 1 }]);
    rejects(Numbers, [1], { a: 'x' }, null, '');
  });
});
