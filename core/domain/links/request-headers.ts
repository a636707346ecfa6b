/** What a browser or program says of itself, read: person, program or chat-app preview; device and browser. */
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
 * Programs that chat and social apps send to show what is behind a link: a share, not a visit. WhatsApp's (and
 * Signal's, which says the same) begin with the name; a page that is open inside an app has it further behind.
 * Apple's Messages says that it is Facebook's and Twitter's.
 */
const previews = new RegExp(
  '^WhatsApp/|^Viber/|TelegramBot|facebookexternalhit|Facebot|meta-externalfetcher|Twitterbot|Slackbot|Slack-ImgProxy|' +
    'LinkedInBot|Discordbot|SkypeUriPreview|MicrosoftPreview|Pinterestbot|redditbot|Mastodon|Pleroma|Misskey|Bluesky|' +
    'Embedly|Iframely|vkShare|kakaotalk-scrap|line-poker|Snap URL Preview|BingPreview|Google-PageRenderer|ZoomBot',
  'i',
);

/** People inside an app, whose own browser Bowser takes for the system's. */
const inApp: readonly [RegExp, string][] = [
  [/\bInstagram\b/, 'Instagram'],
  [/\bFB(AN|AV|_IAB)\b/, 'Facebook'],
  [/\bTikTok|musical_ly|BytedanceWebview/, 'TikTok'],
  [/\bLinkedInApp\b/, 'LinkedIn'],
  [/\bTelegram-(Android|iOS)\b/, 'Telegram'],
  [/\bSnapchat\//, 'Snapchat'],
];

/** Of what Bowser does not know it repeats any word that a stranger sends: that is not kept. */
const browserNames = new Set(Object.values(Bowser.BROWSER_MAP));

const longest = 1_000;
const remembered = new LRUCache<string, UserAgent>({ max: 5_000 });

/** Repeated user agents are remembered: reading one takes some 20 µs. */
export function readUserAgent(header: string | undefined): UserAgent {
  const text = (header ?? '').slice(0, longest);
  const known = remembered.get(text);
  if (known) return known;
  const read = parse(text);
  remembered.set(text, read);
  return read;
}

function parse(text: string): UserAgent {
  if (previews.test(text)) return { class: 'preview', device: null, browser: null };
  // Every browser says what it is; only programs say nothing.
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

/** A browser that fetches what its user may open next: `Sec-Purpose`, and what came before it in Safari and Firefox. */
export function isPrefetch(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  const purpose = headers['sec-purpose'] ?? headers.purpose ?? headers['x-moz'] ?? headers['x-purpose'];
  return purpose !== undefined && /prefetch|prerender|preview/i.test(String(purpose));
}

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
