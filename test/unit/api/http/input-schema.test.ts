import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { unknownMembers } from '../../../../api/http/input-schema.ts';

const unknownIn = (schema: z.ZodType, value: unknown) =>
  unknownMembers(schema, value).map(({ path, detail }) => `${path.join('.')} ${detail}`);

const Place = z.object({ city: z.string() });

describe('unknown members', () => {
  it.each([
    ['an object', Place, { city: 'x', citty: 'y' }, ['citty is unknown; did you mean city?']],
    [
      'a nested object',
      z.object({ at: Place.default({ city: '' }) }),
      { at: { tower: 1 } },
      ['at.tower is unknown; known are city'],
    ],
    ['the items of a list', z.array(Place), [{ city: 'x' }, { City: 'y' }], ['1.City is unknown; did you mean city?']],
    [
      'an optional, nullable, transformed object',
      Place.nullish().transform(String),
      { a: 1 },
      ['a is unknown; known are city'],
    ],
    ['a refined object', Place.refine(() => false), { a: 1 }, ['a is unknown; known are city']],
    ['the values of a record', z.record(z.string(), Place), { x: { a: 1 } }, ['x.a is unknown; known are city']],
    [
      'a named schema',
      z.object({ at: Place.meta({ id: 'TestPlace' }) }),
      { at: { a: 1 } },
      ['at.a is unknown; known are city'],
    ],
    ['inherited names', z.object({}), { toString: 1 }, ['toString is unknown; nothing is accepted here']],
  ])('are found in %s', (_, schema, value, expected) => expect(unknownIn(schema, value)).toEqual(expected));

  it('of a union are those of the option that knows most members', () => {
    const either = z.union([Place, z.object({ name: z.string(), id: z.int() }), z.string()]);
    expect(unknownIn(either, { name: 'x', id: 1 })).toEqual([]);
    expect(unknownIn(either, { name: 'x', idd: 1 })).toEqual(['idd is unknown; did you mean id?']);
    expect(unknownIn(either, 'text')).toEqual([]);
  });

  it('do not exist in free-form objects, and not in values of the wrong type', () => {
    expect(unknownIn(z.record(z.string(), z.unknown()), { a: { b: 1 } })).toEqual([]);
    expect(unknownIn(z.object({ a: z.unknown() }), { a: { b: 1 } })).toEqual([]);
    for (const value of [null, undefined, 'x', 7, ['x']]) expect(unknownIn(Place, value)).toEqual([]);
  });

  it('of an object with additionalProperties are marked as ignored', () => {
    const open = Place.meta({ additionalProperties: true });
    expect(unknownMembers(open, { town: 'x' })).toMatchObject([{ path: ['town'], isIgnored: true }]);
  });
});
