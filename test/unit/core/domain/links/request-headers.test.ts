import { describe, expect, it } from 'vitest';
import { isPrefetch, readUserAgent, referrerHost } from '../../../../../core/domain/links/request-headers.ts';

const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const pixel = 'Mozilla/5.0 (Linux; Android 14; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko)';

describe('user agents of people', () => {
  it.each([
    [`${iPhone} Version/17.5 Mobile/15E148 Safari/604.1`, 'mobile', 'Safari'],
    [`${pixel} Chrome/126.0.0.0 Mobile Safari/537.36`, 'mobile', 'Chrome'],
    [`${pixel} SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36`, 'mobile', 'Samsung Internet for Android'],
    [`${iPhone} Mobile/15E148 Instagram 330.0.0.0`, 'mobile', 'Instagram'],
    [`${iPhone} Mobile/15E148 [FBAN/FBIOS;FBAV/460.0]`, 'mobile', 'Facebook'],
    [`${pixel} Version/4.0 Chrome/126.0 Mobile Safari/537.36 Telegram-Android/10.1`, 'mobile', 'Telegram'],
    [
      'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
      'tablet',
      'Safari',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0',
      'desktop',
      'Microsoft Edge',
    ],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0', 'desktop', 'Firefox'],
  ])('reads device and browser of %s', (header, device, browser) =>
    expect(readUserAgent(header)).toEqual({ class: 'human', device, browser }),
  );

  it('returns null for a browser name that is not on the list', () => {
    const { browser } = readUserAgent('<script>alert(1)</script>/1.0 (X11; Linux x86_64) like a browser');
    expect(browser).toBeNull();
  });
});

describe('user agents of link previews', () => {
  it.each([
    'WhatsApp/2.23.20.0 A',
    'TelegramBot (like TwitterBot)',
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
    'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
    'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
    'http.rb/5.1.1 (Mastodon/4.2.1; +https://mastodon.social/)',
    'facebookexternalhit/1.1;line-poker/1.0',
    'Viber/13.3.0.22',
  ])('classifies %s as a preview', header =>
    expect(readUserAgent(header)).toEqual({ class: 'preview', device: null, browser: null }),
  );
});

describe('user agents of programs', () => {
  it.each([
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0.0.0 Safari/537.36',
    'curl/8.1.2',
    'python-requests/2.31',
    'node',
    '',
    undefined,
  ])('classifies %j as a bot', header => expect(readUserAgent(header).class).toBe('bot'));
});

describe('isPrefetch', () => {
  it.each([
    [{ 'sec-purpose': 'prefetch' }, true],
    [{ 'sec-purpose': 'prefetch;prerender' }, true],
    [{ purpose: 'prefetch' }, true],
    [{ 'x-moz': 'prefetch' }, true],
    [{ 'x-purpose': 'preview' }, true],
    [{ 'sec-fetch-dest': 'document' }, false],
    [{}, false],
  ])('of %j is %s', (headers, expected) => expect(isPrefetch(headers)).toBe(expected));
});

it.each([
  ['https://www.instagram.com/p/secret?user=1', 'instagram.com'],
  ['http://t.co/x', 't.co'],
  ['https://user:secret@mail.example:8443/inbox?q=a', 'mail.example'],
  ['android-app://com.google.android.gm/', 'mail.google.com'],
  ['android-app://org.telegram.messenger/', 'org.telegram.messenger'],
  ['https://constructor/', 'constructor'],
  ['', null],
  [undefined, null],
  ['about:blank', null],
  ['javascript:alert(1)', null],
  ['https://<script>alert(1)</script>/', null],
  ['nonsense', null],
])('reduces the referrer %j to the host %j', (header, host) => expect(referrerHost(header)).toBe(host));
