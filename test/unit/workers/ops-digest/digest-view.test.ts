/** Digest mails: the important facts first, the same in both parts, short enough for mail clients. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { AlertNews } from '../../../../core/alerts/alert.ts';
import { alertSubject, alertView } from '../../../../core/alerts/alert-view.ts';
import { openMailTemplate } from '../../../../core/mail/template.ts';
import { Digest } from '../../../../workers/ops-digest/contract.ts';
import { digestSubject, digestView } from '../../../../workers/ops-digest/digest-view.ts';

const sampleOf = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(new URL(`../../../../templates/mail/${name}/sample.json`, import.meta.url), 'utf8'));
const sample = Digest.parse(await sampleOf('digest'));
const news = AlertNews.parse(await sampleOf('alerts'));
const quiet: Digest = {
  ...sample,
  jobs: [],
  errors: [],
  held: [],
  alerts: [],
  fires: [],
  systems: [],
  syncs: [],
};

async function rendered(digest: Digest) {
  const view = digestView(digest, digestSubject(digest), 'https://portal.example/v2/ops');
  return await (await openMailTemplate('digest')).render(view);
}

it('has a subject with the numbers that need attention', () => {
  expect(digestSubject(sample)).toBe('Daily digest, 2026-01-31: 2 open alerts, 1 held run, 10 failed jobs');
  expect(digestSubject(quiet)).toBe('Daily digest, 2026-01-31: all well');
});

it('has the same numbers in both parts, and loads nothing from other hosts', async () => {
  const { html, text } = await rendered(sample);
  for (const part of [html, text]) {
    expect(part).toContain('1,408 jobs succeeded, 10 failed: 5 more than the day before.');
    for (const number of ['1,284', '+94', '−2', '48,210', '10,452', '64.50 AED']) expect(part).toContain(number);
    expect(part).toContain('skipped: the previous run was still in progress');
  }
  // Mail clients cut off mails of more than about 100 kB.
  expect(Buffer.byteLength(html)).toBeLessThan(80_000);
  expect(html.match(/(?:src|href)="(?!https:\/\/portal\.example)[^"]*"|url\(|@import/g)).toBeNull();
});

/** Replaces each text and number by a token of its own, empty texts too: they hide parts of the message. */
function withTokens(value: unknown, tokens: string[]): unknown {
  if (Array.isArray(value)) return value.map(item => withTokens(item, tokens));
  if (typeof value === 'object' && value !== null)
    // MJML accepts only colours for a colour.
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, name === 'colour' ? member : withTokens(member, tokens)]),
    );
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  tokens.push(`token${tokens.length}x`);
  return tokens.at(-1);
}

it.each([
  ['digest', digestView(sample, digestSubject(sample), 'https://portal.example/v2/ops')],
  ['alerts', alertView(news, alertSubject(news), 'https://portal.example/v2/ops')],
])('the HTML of the mail %s contains every value of its text', async (name, view) => {
  const tokens: string[] = [];
  const { html, text } = await (await openMailTemplate(name)).render(Object(withTokens(view, tokens)));
  const inText = tokens.filter(token => text.includes(token));
  expect(inText.length).toBeGreaterThan(15);
  expect(inText.filter(token => !html.includes(token))).toEqual([]);
});

it('omits empty sections', async () => {
  const { html, text } = await rendered(quiet);
  for (const part of [html, text]) {
    expect(part).toContain('No job ended.');
    expect(part).not.toMatch(/Open alerts|Held runs|Synchronisations|What failed most|Outside systems/);
  }
});
