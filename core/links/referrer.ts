/** The host of the page that a link was on; the rest of its address is nobody's business. */
const apps: Readonly<Record<string, string>> = {
  'android-app://com.google.android.gm': 'mail.google.com',
  'android-app://com.google.android.googlequicksearchbox': 'google.com',
};

/** Null for none (typed, scanned, opened in an app, or kept secret by the page) and for what is no address. */
export function referrerHost(header: string | undefined): string | null {
  if (header === undefined || header === '' || header.length > 4_096) return null;
  const app = apps[header.replace(/\/$/, '')];
  if (app !== undefined) return app;
  if (!/^(https?|android-app):\/\//i.test(header) || !URL.canParse(header)) return null;
  return new URL(header).hostname.replace(/^www\./, '').slice(0, 253) || null;
}
