/** Rows of vendors by our names. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { picked, rowOf, textOrNull } from '../../../../../core/integrations/kit/row.ts';

it.each([
  [' Sara ', 'Sara'],
  [' ', null],
  ['', null],
  [null, null],
  [undefined, null],
])('the text %j is %j', (given, read) => expect(textOrNull.parse(given)).toBe(read));

it('a text is not a number', () => expect(textOrNull.safeParse(7).success).toBe(false));

describe('a row', () => {
  const Person = rowOf(z.object({ name: z.string() }), row => picked(row, { name: 'NAME', age: 'AGE' }));

  it('has our names, and is checked by our schema', () => {
    expect(picked({ NAME: 'Sara', other: 1 }, { name: 'NAME', age: 'AGE' })).toEqual({ name: 'Sara', age: undefined });
    expect(Person.parse({ NAME: 'Sara', other: 1 })).toEqual({ name: 'Sara' });
    expect(Person.safeParse({ NAME: 7 }).success).toBe(false);
  });

  it.each([null, 'text', []])('is not %j', given => expect(Person.safeParse(given).success).toBe(false));
});
