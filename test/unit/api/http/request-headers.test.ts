import { describe, expect, it } from 'vitest';
import { parsePrefer } from '../../../../api/http/request-headers.ts';

describe('the Prefer header (RFC 7240)', () => {
  it.each([
    [undefined, {}],
    ['', {}],
    ['wait=10', { waitSeconds: 10 }],
    ['wait=0', { waitSeconds: 0 }],
    ['Wait = "10"', { waitSeconds: 10 }],
    ['respond-async', { respondAsync: true }],
    ['respond-async, wait=5', { respondAsync: true, waitSeconds: 5 }],
    ['return=minimal, wait=5; strict', { waitSeconds: 5 }],
    ['handling=lenient; wait=7', {}],
    ['wait=7, Cancel-On-Disconnect', { waitSeconds: 7, cancelOnDisconnect: true }],
    ['handling=strict, wait=7', { strict: true, waitSeconds: 7 }],
    ['handling="strict",, respond-async', { strict: true, respondAsync: true }],
    ['return=minimal', {}],
  ])('parses %j as %j', (header, preferences) =>
    expect(parsePrefer(header)).toEqual({
      respondAsync: false,
      cancelOnDisconnect: false,
      strict: false,
      ...preferences,
    }),
  );

  it('uses the first of a repeated preference (section 2)', () =>
    expect(parsePrefer('wait=3, wait=9').waitSeconds).toBe(3));

  it.each(['wait', 'wait=', 'wait=soon', 'wait=-1', 'wait=1.5', 'wait=99999999999', 'handling=odd'])(
    'rejects the invalid value of a known preference: %j',
    header =>
      expect(() => parsePrefer(header)).toThrow(
        expect.objectContaining({ code: 'bad-request', message: expect.stringContaining(header.split('=')[0] ?? '') }),
      ),
  );

  it('rejects an unknown preference with handling=strict (section 4.4)', () =>
    expect(() => parsePrefer('return=minimal, handling=strict')).toThrow(
      expect.objectContaining({ code: 'bad-request', message: expect.stringContaining('return') }),
    ));
});
