/** The host of the page that a link was on; the rest of its address is nobody's business. */

/** Apps that stand for a site. */
const apps: Readonly<Record<string, string>> = {
  'com.google.android.gm': 'mail.google.com',
  'com.google.android.googlequicksearchbox': 'google.com',
};

/** Scheme, then a login that some send, then the host; not parsed as a whole, which would cost more than the redirect. */
const address = /^(?:https?|android-app):\/\/(?:[^/?#@\s]*@)?(?:www\.)?([a-z0-9.-]{1,253})(?=[:/?#]|$)/i;

/** Null for none (typed, scanned, opened in an app, or kept secret by the page) and for what is no address. */
export function referrerHost(header: string | undefined): string | null {
  const host = address.exec(header ?? '')?.[1]?.toLowerCase();
  return host === undefined ? null : (apps[host] ?? host);
}
