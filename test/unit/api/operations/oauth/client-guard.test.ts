import { describe, expect, it } from 'vitest';
import {
  newlyGranted,
  rejectLockOut,
  requireGrantable,
  requireKnownScopes,
} from '../../../../../api/operations/oauth/client-guard.ts';

const grant = (isActive: boolean, ...scopes: string[]) => ({ isActive, scopes });
const caller = { clientId: 'me', scopes: ['oauth:clients', 'pdf'] };

describe('newlyGranted', () => {
  it.each([
    { was: grant(true, 'a'), is: grant(true, 'a', 'b'), granted: ['b'] },
    { was: grant(true, 'a', 'b'), is: grant(true, 'b'), granted: [] },
    { was: grant(true, 'a'), is: grant(false, 'a'), granted: [] },
    { was: grant(true, 'a'), is: grant(false, 'b'), granted: ['b'] },
    { was: grant(false, 'a'), is: grant(false, 'a'), granted: [] },
    { was: grant(false, 'a'), is: grant(true, 'a'), granted: ['a'] },
    { was: grant(false, 'a'), is: grant(true, 'b'), granted: ['b'] },
  ])('from $was to $is: $granted', ({ was, is, granted }) => {
    expect(newlyGranted(was, is)).toEqual(granted);
  });
});

describe('a caller', () => {
  it('can grant only its own scopes; the error names the others', () => {
    expect(() => requireGrantable(caller, ['pdf'])).not.toThrow();
    expect(() => requireGrantable(caller, ['pdf', 'ops', 'leads'])).toThrow('ops leads');
  });

  it.each([
    { is: grant(false, 'oauth:clients', 'pdf'), rejected: true },
    { is: grant(true, 'pdf'), rejected: true },
    { is: grant(true, 'oauth:clients'), rejected: false },
  ])('that changes itself to $is: rejected $rejected', ({ is, rejected }) => {
    const attempt = () => rejectLockOut(caller, 'me', is);
    if (rejected) expect(attempt).toThrow('use another client');
    else expect(attempt).not.toThrow();
    expect(() => rejectLockOut(caller, 'other', is)).not.toThrow();
  });
});

it('requireKnownScopes points to each unknown scope', () => {
  expect(() => requireKnownScopes(['pdf'], ['pdf', 'ops'])).not.toThrow();
  expect(() => requireKnownScopes(['x', 'pdf', 'y'], ['pdf', 'ops'])).toThrow(
    expect.objectContaining({
      faults: [
        { pointer: '/scopes/0', detail: 'there is no scope x' },
        { pointer: '/scopes/2', detail: 'there is no scope y' },
      ],
    }),
  );
});
