/** Messages for issues of schemas that have no message of their own: what is expected, and the received value. */
import type { z } from 'zod';
import { closestName } from '../../core/values/closest-name.ts';

type Issue = z.core.$ZodRawIssue;

/** Longer values are cut. */
const maxShown = 60;

export const messageOf = (issue: Issue): string => `${expectation(issue)}${received(issue)}`;

const nouns: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
};

const formats: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  url: 'an absolute URL',
  uuid: 'a UUID',
  date: 'a date, such as 2026-01-31',
  datetime: 'an ISO 8601 time, such as 2026-01-31T08:00:00Z',
};

const units: Readonly<Record<string, string>> = { string: 'characters', array: 'items' };

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${nouns[issue.expected] ?? issue.expected}`;
    case 'invalid_format':
      return `must be ${formats[issue.format] ?? `text of the form ${issue.pattern ?? issue.format}`}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'must not be empty'
        : bound('at least', issue.minimum, issue);
    case 'too_big':
      return bound('at most', issue.maximum, issue);
    case 'unrecognized_keys':
      return `must not have ${issue.keys.map(shown).join(', ')}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return oneOf(issue.errors.flat().filter(({ path }) => path.length === 0));
    default:
      return 'is not valid';
  }
}

function bound(limit: string, count: number | bigint, { origin, exact }: { origin: string; exact?: boolean }): string {
  const unit = units[origin];
  const number = count.toLocaleString('en');
  return unit === undefined ? `must be ${limit} ${count}` : `must have ${exact ? 'exactly' : limit} ${number} ${unit}`;
}

/** The alternatives of a union, such as "must be a string or a number". */
function oneOf(issues: readonly z.core.$ZodIssue[]): string {
  const alternatives = issues.map(issue => expectation({ ...issue, input: undefined }).replace(/^must be /, ''));
  return alternatives.length === 0 ? 'is not valid' : `must be ${[...new Set(alternatives)].join(' or ')}`;
}

function received({ code, input, ...issue }: Issue): string {
  if (code === 'unrecognized_keys') return '';
  if (input === undefined) return code === 'invalid_type' || code === 'invalid_value' ? '; it is missing' : '';
  if ((code === 'too_small' || code === 'too_big') && typeof input !== 'number')
    return (typeof input === 'string' || Array.isArray(input)) && input.length > 0
      ? `; it has ${input.length.toLocaleString('en')}`
      : '';
  const values = Array.isArray(issue.values) ? issue.values.map(String) : [];
  const closest = typeof input === 'string' ? closestName(input, values) : undefined;
  return `; it was ${shown(input)}${closest === undefined ? '' : `: did you mean ${closest}?`}`;
}

function shown(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > maxShown ? `${value.slice(0, maxShown)}…` : value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
