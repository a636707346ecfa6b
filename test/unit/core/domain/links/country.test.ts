import { describe, expect, it } from 'vitest';
import { openCountries } from '../../../../../core/domain/links/country.ts';

describe('openCountries', () => {
  it.each([
    ['5.195.0.1', 'AE'],
    ['8.8.8.8', 'US'],
    ['::ffff:8.8.8.8', 'US'],
    ['2001:4860:4860::8888', 'US'],
    ['127.0.0.1', null],
    ['10.1.2.3', null],
    ['192.168.1.1', null],
    ['169.254.169.254', null],
    ['100.64.0.1', null],
    ['::1', null],
    ['fe80::1', null],
    ['nonsense', null],
    ['', null],
  ])('returns for the address %s the country %s', async (address, country) => {
    const countryOf = await openCountries({});
    expect(countryOf(address, {})).toBe(country);
  });

  it.each([
    ['AE', 'AE'],
    ['gb', 'GB'],
    ['XX', null],
    ['T1', null],
    ['<b>', null],
    [undefined, null],
  ])('reads the proxy header %j as %j when COUNTRY_HEADER is set', async (sent, country) => {
    const countryOf = await openCountries({ COUNTRY_HEADER: 'CF-IPCountry' });
    expect(countryOf('8.8.8.8', { 'cf-ipcountry': sent })).toBe(country);
  });
});
