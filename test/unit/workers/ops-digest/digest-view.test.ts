/** Digest mails: the important facts first, the same in both parts, short enough for mail clients. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openMailTemplate } from '../../../../core/mail/template.ts';
import { Digest } from '../../../../workers/ops-digest/contract.ts';
import { digestSubject, digestView } from '../../../../workers/ops-digest/digest-view.ts';

const file = new URL('../../../../templates/mail/digest/sample.json', import.meta.url);
const sample = Digest.parse(JSON.parse(await readFile(file, 'utf8')));
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

it('omits empty sections', async () => {
  const { html, text } = await rendered(quiet);
  for (const part of [html, text]) {
    expect(part).toContain('No job ended.');
    expect(part).not.toMatch(/Open alerts|Held runs|Synchronisations|What failed most|Outside systems/);
  }
});
