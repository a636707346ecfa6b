import { describe, expect, it } from 'vitest';
import {
  newlyGranted,
  refuseLockOut,
  requireGrantable,
  requireKnownScopes,
} from '../../../../../api/operations/oauth/client-guard.ts';

const grant = (isActive: boolean, ...scopes: string[]) => ({ isActive, scopes });
const caller = { clientId: 'me', scopes: ['oauth:clients', 'pdf'] };

describe('what a change grants', () => {
  it.each([
    { was: grant(true, 'a'), is: grant(true, 'a', 'b'), granted: ['b'] },
    { was: grant(true, 'a', 'b'), is: grant(true, 'b'), granted: [] },
    { was: grant(true, 'a'), is: grant(false, 'a'), granted: [] },
    { was: grant(true, 'a'), is: grant(false, 'b'), granted: ['b'] },
    { was: grant(false, 'a'), is: grant(false, 'a'), granted: [] },
    { was: grant(false, 'a'), is: grant(true, 'a'), granted: ['a'] },
    { was: grant(false, 'a'), is: grant(true, 'b'), granted: ['b'] },
  ])('from $was to $is is $granted', ({ was, is, granted }) => {
    expect(newlyGranted(was, is)).toEqual(granted);
  });
});

describe('a caller', () => {
  it('grants what it has, and is told what it has not', () => {
    expect(() => requireGrantable(caller, ['pdf'])).not.toThrow();
    expect(() => requireGrantable(caller, ['pdf', 'ops', 'leads'])).toThrow('ops leads');
  });

  it.each([
    { is: grant(false, 'oauth:clients', 'pdf'), refused: true },
    { is: grant(true, 'pdf'), refused: true },
    { is: grant(true, 'oauth:clients'), refused: false },
  ])('that makes itself $is: refused $refused', ({ is, refused }) => {
    const attempt = () => refuseLockOut(caller, 'me', is);
    if (refused) expect(attempt).toThrow('another one has to do it');
    else expect(attempt).not.toThrow();
    expect(() => refuseLockOut(caller, 'someone else', is)).not.toThrow();
  });
});

it('each unknown scope is pointed at', () => {
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
