/** Country of a caller, from a proxy header or from a local file by address. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import maxmind, { type Response } from 'maxmind';
import { z } from 'zod';

export const LinksConfig = z.object({
  COUNTRY_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header, such as CF-IPCountry')
    .optional()
    .describe('Header with the caller’s country, such as CF-IPCountry; unset: looked up by address.'),
  COUNTRY_DATABASE: z
    .string()
    .refine(existsSync, 'must be the path of an existing file')
    .optional()
    .describe('MaxMind-format country file (.mmdb); unset: the file included with the service.'),
});
export type LinksConfig = z.infer<typeof LinksConfig>;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** ISO 3166-1 alpha-2; null for unknown. */
export type FindCountry = (address: string, headers: Headers) => string | null;

/** Formats of ip-location-db and of MaxMind. */
interface Entry {
  country_code?: string;
  country?: { iso_code?: string };
}

export async function openCountries(config: LinksConfig): Promise<FindCountry> {
  const header = config.COUNTRY_HEADER?.toLowerCase();
  if (header !== undefined) return (_address, headers) => countryCode(headers[header]?.toString());
  const countries = await maxmind.open<Entry & Response>(config.COUNTRY_DATABASE ?? includedDatabase());
  const cache = new LRUCache<string, { country: string | null }>({
    max: 10_000,
    memoMethod: address => ({ country: lookUp(publicAddress(address)) }),
  });
  const lookUp = (address: string | undefined): string | null => {
    const entry = address === undefined ? null : countries.get(address);
    return countryCode(entry?.country_code ?? entry?.country?.iso_code);
  };
  return address => cache.memo(address).country;
}

const includedDatabase = (): string =>
  createRequire(import.meta.url).resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb');

/** Undefined for a private address, because the file has countries for some. Converts IPv4-mapped IPv6 to IPv4. */
function publicAddress(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' ? parsed.toString() : undefined;
}

/** Null for Cloudflare's XX (unknown) and T1 (Tor). */
function countryCode(text: string | undefined): string | null {
  const code = text?.trim().toUpperCase() ?? '';
  return /^[A-Z]{2}$/.test(code) && code !== 'XX' ? code : null;
}
