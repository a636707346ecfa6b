/** The country of a caller: told by the proxy before the service, or looked up by address in a local file. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import maxmind, { type Response } from 'maxmind';
import { z } from 'zod';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** ISO 3166-1 alpha-2, or null where it is not known. */
export type FindCountry = (address: string, headers: Headers) => string | null;

/** The shapes that country databases have: that of ip-location-db, and MaxMind's own. */
interface Entry {
  country_code?: string;
  country?: { iso_code?: string };
}

export async function openCountries(config: LinksConfig): Promise<FindCountry> {
  const header = config.COUNTRY_HEADER?.toLowerCase();
  if (header !== undefined) return (_address, headers) => countryCode(headers[header]?.toString());
  const countries = await maxmind.open<Entry & Response>(config.COUNTRY_DATABASE ?? ownDatabase());
  // Addresses repeat: people of one house, of one phone network.
  const remembered = new LRUCache<string, { country: string | null }>({
    max: 10_000,
    memoMethod: address => ({ country: lookUp(publicAddress(address)) }),
  });
  const lookUp = (place: string | undefined): string | null => {
    const entry = place === undefined ? null : countries.get(place);
    return countryCode(entry?.country_code ?? entry?.country?.iso_code);
  };
  return address => remembered.memo(address).country;
}

const ownDatabase = (): string =>
  createRequire(import.meta.url).resolve(
    '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb',
  );

/** Not left to the file, which knows a country for some private addresses; an IPv4 address in IPv6 form is unwrapped. */
function publicAddress(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' ? parsed.toString() : undefined;
}

/** Cloudflare says XX for unknown and T1 for Tor, which are no countries. */
function countryCode(text: string | undefined): string | null {
  const code = text?.trim().toUpperCase() ?? '';
  return /^[A-Z]{2}$/.test(code) && code !== 'XX' ? code : null;
}

export const LinksConfig = z.object({
  COUNTRY_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header, such as CF-IPCountry')
    .optional()
    .describe(
      'Header in which the proxy before the service tells the caller’s country, such as CF-IPCountry; unset: looked up by address.',
    ),
  COUNTRY_DATABASE: z
    .string()
    .refine(existsSync, 'must be a file that is there')
    .optional()
    .describe(
      'MaxMind-format file (.mmdb) that countries are looked up in; unset: the one that comes with the service.',
    ),
});

export type LinksConfig = z.infer<typeof LinksConfig>;
