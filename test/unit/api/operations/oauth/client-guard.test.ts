import { describe, expect, it } from 'vitest';
import {
  rejectLockOut,
  requireGrantable,
  requireKnownScopes,
} from '../../../../../api/operations/oauth/client-guard.ts';

const grant = (isActive: boolean, ...scopes: string[]) => ({ isActive, scopes });
const caller = { clientId: 'me', scopes: ['oauth:clients', 'pdf'] };

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
