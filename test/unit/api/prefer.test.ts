import { describe, expect, it } from 'vitest';
import { parsePrefer } from '../../../api/prefer.ts';

describe('the Prefer header (RFC 7240)', () => {
  it.each([
    [undefined, { respondAsync: false }],
    ['', { respondAsync: false }],
    ['wait=10', { respondAsync: false, waitSeconds: 10 }],
    ['wait=0', { respondAsync: false, waitSeconds: 0 }],
    ['Wait = "10"', { respondAsync: false, waitSeconds: 10 }],
    ['respond-async', { respondAsync: true }],
    ['respond-async, wait=5', { respondAsync: true, waitSeconds: 5 }],
    ['return=minimal, wait=5; strict', { respondAsync: false, waitSeconds: 5 }],
    ['handling=lenient; wait=7', { respondAsync: false }],
    ['return=minimal', { respondAsync: false }],
  ])('%j asks for %j', (header, preferences) => {
    expect(parsePrefer(header)).toEqual(preferences);
  });

  it('counts the first of a repeated preference (section 2)', () => {
    expect(parsePrefer('wait=3, wait=9').waitSeconds).toBe(3);
  });

  it.each(['wait', 'wait=', 'wait=soon', 'wait=-1', 'wait=1.5', 'wait=99999999999'])(
    'ignores %j, which it cannot honour: a preference is never a reason for an error (section 2)',
    header => {
      expect(parsePrefer(header)).toEqual({ respondAsync: false });
    },
  );
});
