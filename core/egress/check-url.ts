/** Checks of a URL before its name is resolved: scheme, credentials, port, and the target of a redirect. */
import { parseAddress } from './address.ts';
import { type AllowRule, mayConnect, mayUsePort } from './allow-rules.ts';
import { EgressError } from './egress-error.ts';

/**
 * Uses the parser of the request, so that check and request cannot interpret the URL differently.
 * @throws EgressError `url`, `scheme`, `credentials` or `port`
 */
export function checkUrl(text: string, rules: readonly AllowRule[], base?: string): URL {
  if (!URL.canParse(text, base)) throw new EgressError('url', 'the address is not a URL');
  const url = new URL(text, base);
  url.hash = '';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressError('scheme', 'the address is neither http nor https');
  }
  if (url.username !== '' || url.password !== '') {
    throw new EgressError('credentials', 'the address carries a user name or password');
  }
  if (!mayUsePort(url.hostname, portOf(url), rules)) {
    throw new EgressError('port', 'the address names a port that is not allowed');
  }
  return url;
}

/**
 * Checks also a literal address: for a URL that is stored now and fetched later. A name is resolved only then.
 * @throws EgressError also `address`
 */
export function checkLiteralUrl(text: string, rules: readonly AllowRule[]): URL {
  const url = checkUrl(text, rules);
  const address = parseAddress(url.hostname.replace(/^\[|\]$/g, ''));
  const isLocalName = /(^|\.)localhost\.?$/.test(url.hostname);
  const mayBeReached = address
    ? mayConnect(url.hostname, address, portOf(url), rules)
    : !isLocalName || rules.some(rule => rule.kind === 'host' && rule.hostname === url.hostname);
  if (!mayBeReached) throw new EgressError('address', 'the address is not on the public internet');
  return url;
}

/**
 * Checks the target of a redirect like the first URL. Rejects https to http, where the network could replace the answer.
 * @throws EgressError also `redirects`
 */
export function checkRedirect(from: URL, location: string | string[] | undefined, rules: readonly AllowRule[]): URL {
  if (typeof location !== 'string') throw new EgressError('redirects', 'the server redirects to nowhere');
  const target = checkUrl(location, rules, from.href);
  if (from.protocol === 'https:' && target.protocol === 'http:') {
    throw new EgressError('redirects', 'the server redirects from https to http');
  }
  return target;
}

/** The URL's port, by default that of its scheme. */
export function portOf(url: Pick<URL, 'port' | 'protocol'>): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
}
