import { expect, it } from 'vitest';
import { EgressError, type EgressReason } from '../../../../core/egress/egress-error.ts';

it.each([
  [408, true],
  [425, true],
  [429, true],
  [500, true],
  [502, true],
  [503, true],
  [504, true],
  [400, false],
  [404, false],
  [410, false],
  [501, false],
])('after status %i, a retry may succeed: %s', (status, transient) => {
  expect(new EgressError('status', 'the server answered badly', { status }).transient).toBe(transient);
});

it.each<[EgressReason, boolean]>([
  ['timeout', true],
  ['unreachable', true],
  ['address', false],
  ['redirects', false],
  ['too-large', false],
  ['encoding', false],
])('after %s, a retry may succeed: %s', (reason, transient) => {
  expect(new EgressError(reason, 'the server could not be reached').transient).toBe(transient);
});

it('has a cause for the log only when there is one', () => {
  const cause = new Error('10.0.0.7');
  expect(new EgressError('address', 'it is not public', { cause })).toMatchObject({
    cause,
    message: 'it is not public',
  });
  expect('cause' in new EgressError('url', 'it is not a URL')).toBe(false);
});
