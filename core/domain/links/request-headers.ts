/** Reads the headers of a request: class of caller (person, bot, preview), device, browser, prefetch, referrer host. */
import Bowser from 'bowser';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import { type ClickClass, Device } from './link.ts';

export interface UserAgent {
  class: Exclude<ClickClass, 'prefetch'>;
  device: Device | null;
  browser: string | null;
}

/**
 * Link-preview fetchers of chat and social apps: a share, not a visit. WhatsApp's fetcher (and Signal's, which sends
 * the same) starts with the name; in-app browsers have it later in the text. Apple Messages identifies as Facebook
 * and Twitter.
 */
const previews = new RegExp(
  '^WhatsApp/|^Viber/|TelegramBot|facebookexternalhit|Facebot|meta-externalfetcher|Twitterbot|Slackbot|Slack-ImgProxy|' +
    'LinkedInBot|Discordbot|SkypeUriPreview|MicrosoftPreview|Pinterestbot|redditbot|Mastodon|Pleroma|Misskey|Bluesky|' +
    'Embedly|Iframely|vkShare|kakaotalk-scrap|line-poker|Snap URL Preview|BingPreview|Google-PageRenderer|ZoomBot',
  'i',
);

/** In-app browsers, which Bowser reports as the system browser. */
const inApp: readonly [RegExp, string][] = [
  [/\bInstagram\b/, 'Instagram'],
  [/\bFB(AN|AV|_IAB)\b/, 'Facebook'],
  [/\bTikTok|musical_ly|BytedanceWebview/, 'TikTok'],
  [/\bLinkedInApp\b/, 'LinkedIn'],
  [/\bTelegram-(Android|iOS)\b/, 'Telegram'],
  [/\bSnapchat\//, 'Snapchat'],
];

/** For an unknown browser Bowser returns any word of the header; only names on this list are stored. */
const browserNames = new Set(Object.values(Bowser.BROWSER_MAP));

const maxLength = 1_000;
/** Parsing takes about 20 µs. */
const cache = new LRUCache<string, UserAgent>({ max: 5_000, memoMethod: text => parse(text) });

export const readUserAgent = (header: string | undefined): UserAgent => cache.memo((header ?? '').slice(0, maxLength));

function parse(text: string): UserAgent {
  if (previews.test(text)) return { class: 'preview', device: null, browser: null };
  // Every browser sends a user agent; only programs send none.
  if (text.trim() === '' || isbot(text)) return { class: 'bot', device: null, browser: null };
  const parsed = Bowser.parse(text);
  const app = inApp.find(([pattern]) => pattern.test(text))?.[1];
  const name = parsed.browser.name ?? '';
  return {
    class: 'human',
    device: Device.safeParse(parsed.platform.type).data ?? null,
    browser: app ?? (browserNames.has(name) ? name : null),
  };
}

/** A browser prefetch: `Sec-Purpose`, and its predecessors in Safari and Firefox. */
export function isPrefetch(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  const purpose = headers['sec-purpose'] ?? headers.purpose ?? headers['x-moz'] ?? headers['x-purpose'];
  return purpose !== undefined && /prefetch|prerender|preview/i.test(String(purpose));
}

/** Android app ids that stand for a website. */
const appHosts: ReadonlyMap<string, string> = new Map([
  ['com.google.android.gm', 'mail.google.com'],
  ['com.google.android.googlequicksearchbox', 'google.com'],
]);

/** Scheme, optional user info, host. `URL.parse` would cost more than the redirect itself. */
const address = /^(?:https?|android-app):\/\/(?:[^/?#@\s]*@)?(?:www\.)?([a-z0-9.-]{1,253})(?=[:/?#]|$)/i;

/** Host of the `Referer` header; null for none or an invalid one. Path and query are not stored. */
export function referrerHost(header: string | undefined): string | null {
  const host = address.exec(header ?? '')?.[1]?.toLowerCase();
  return host === undefined ? null : (appHosts.get(host) ?? host);
}
