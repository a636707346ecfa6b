/** What can be told from a URL alone, before a name is resolved: scheme, credentials, port, and where a redirect leads. */
import { parseAddress } from './address.ts';
import { type AllowRule, mayConnect, mayUsePort } from './allow-rules.ts';
import { EgressRefused } from './egress-refused.ts';

/**
 * Reads a URL with the parser that the request is made with, so that check and request cannot understand it differently.
 * @throws EgressRefused `url`, `scheme`, `credentials` or `port`
 */
export function checkUrl(text: string, rules: readonly AllowRule[], base?: string): URL {
  if (!URL.canParse(text, base)) throw new EgressRefused('url', 'the address is not a URL');
  const url = new URL(text, base);
  url.hash = '';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressRefused('scheme', 'the address is neither http nor https');
  }
  if (url.username !== '' || url.password !== '') {
    throw new EgressRefused('credentials', 'the address carries a user name or password');
  }
  if (!mayUsePort(url.hostname, portOf(url), rules)) {
    throw new EgressRefused('port', 'the address names a port that is not allowed');
  }
  return url;
}

/**
 * The same, and an address written as numbers must be one that may be connected to: for a URL that is taken now and
 * fetched later. What a name leads to is only known then.
 * @throws EgressRefused also `address`
 */
export function checkLiteralUrl(text: string, rules: readonly AllowRule[]): URL {
  const url = checkUrl(text, rules);
  const address = parseAddress(url.hostname.replace(/^\[|\]$/g, ''));
  const isLocalName = /(^|\.)localhost\.?$/.test(url.hostname);
  const mayBeReached = address
    ? mayConnect(url.hostname, address, portOf(url), rules)
    : !isLocalName || rules.some(rule => rule.kind === 'host' && rule.hostname === url.hostname);
  if (!mayBeReached) throw new EgressRefused('address', 'the address is not on the public internet');
  return url;
}

/**
 * The next place of a redirect, checked as the first was. From https to http is refused: whoever sits on the way
 * could put another picture, or another target, in its place.
 * @throws EgressRefused also `redirects`
 */
export function checkRedirect(
  from: URL,
  location: string | string[] | undefined,
  rules: readonly AllowRule[],
): URL {
  if (typeof location !== 'string') throw new EgressRefused('redirects', 'the server redirects to nowhere');
  const target = checkUrl(location, rules, from.href);
  if (from.protocol === 'https:' && target.protocol === 'http:') {
    throw new EgressRefused('redirects', 'the server redirects from https to http');
  }
  return target;
}

/** The port in use, the scheme's own when none is written. */
export function portOf(url: Pick<URL, 'port' | 'protocol'>): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
}
