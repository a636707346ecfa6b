import { expect, it } from 'vitest';
import { z } from 'zod';
import { messageOf } from '../../../../api/http/input-messages.ts';

it.each([
  [z.string(), undefined, 'must be a string; it is missing'],
  [z.string(), 7, 'must be a string; it was 7'],
  [z.string(), ['a'], 'must be a string; it was a list'],
  [z.boolean(), 'yes', 'must be true or false; it was "yes"'],
  [z.int(), 1.5, 'must be a whole number; it was 1.5'],
  [z.object({}), null, 'must be an object; it was null'],
  [z.array(z.string()), {}, 'must be a list; it was an object'],
  [z.enum(['pdf', 'leads']), 'pdff', 'must be one of pdf, leads; it was "pdff": did you mean pdf?'],
  [z.enum(['pdf', 'leads']), undefined, 'must be one of pdf, leads; it is missing'],
  [z.literal(true), false, 'must be true; it was false'],
  [z.int().min(5), 1, 'must be at least 5; it was 1'],
  [z.int().max(5), 7, 'must be at most 5; it was 7'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().min(3), 'ab', 'must have at least 3 characters; it has 2'],
  [z.string().max(3), 'abcd', 'must have at most 3 characters; it has 4'],
  [z.array(z.int()).max(1), [1, 2], 'must have at most 1 items; it has 2'],
  [z.email(), 'x', 'must be an e-mail address; it was "x"'],
  [z.uuid(), 'x'.repeat(70), `must be a UUID; it was "${'x'.repeat(60)}…"`],
  [z.iso.date(), '31.1.', 'must be a date, such as 2026-01-31; it was "31.1."'],
  [z.string().regex(/^\d+$/), 'x', 'must be text of the form /^\\d+$/; it was "x"'],
  [z.strictObject({}), { q: 1 }, 'must not have "q"'],
  [z.number().multipleOf(5), 7, 'must be a multiple of 5; it was 7'],
  [z.union([z.string(), z.number(), z.null()]), true, 'must be a string or a number or null; it was true'],
  [z.string().refine(() => false), 'x', 'is not valid; it was "x"'],
  [z.string({ error: 'is required' }), 7, 'is required'],
])('explains %# in plain language', (schema, value, message) => {
  const { error } = schema.safeParse(value, { error: messageOf });
  expect(error?.issues.map(issue => issue.message)).toEqual([message]);
});
