import { describe, expect, it } from 'vitest';
import { toE164, toEmiratiNational } from '../../../../core/values/phone-number.ts';

describe('an Emirati number', () => {
  it.each([
    '0501234567',
    '501234567',
    '971501234567',
    '+971501234567',
    '00971501234567',
    ' +971 50 123 4567 ',
    '050-123-4567',
    '+971 (0)50 123 4567',
  ])('%j is parsed as +971501234567', text => expect(toE164(text)).toBe('+971501234567'));

  it('has a national form for the registry', () => {
    expect(toEmiratiNational('+971501234567')).toBe('0501234567');
    expect(toEmiratiNational('+97143001234')).toBe('043001234');
    expect(toEmiratiNational('+442079460958')).toBeUndefined();
  });
});

it.each([
  ['+44 20 7946 0958', '+442079460958'],
  ['0044 20 7946 0958', '+442079460958'],
  ['+91 98765 43210', '+919876543210'],
])('%j keeps its country code', (text, e164) => expect(toE164(text)).toBe(e164));

it.each(['', '123', 'call me', '+971', '05012345678901', '+9715012345'])('%j is no phone number', text =>
  expect(toE164(text)).toBeUndefined(),
);
