import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../../../core/runtime/config.ts';
import { GalleryConfig } from '../../../../../workers/pdf/gallery/config.ts';
import { type Preview, startPreview } from '../../../../../workers/pdf/gallery/preview.ts';

let folder: string;
let preview: Preview;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'preview-'));
  const config = readConfig(GalleryConfig, { ...process.env, BRANDS_DIR: folder });
  preview = await startPreview(config, 0, pino({ level: 'silent' }));
});
afterAll(async () => {
  await preview?.close();
  await rm(folder, { recursive: true, force: true });
});

const get = async (place: string) => {
  const answer = await fetch(`${preview.url}${place}`);
  return { status: answer.status, text: await answer.text() };
};

const brand = (ink: string) => ({
  name: 'Northline',
  tagline: '',
  logo: 'mark.svg',
  colours: { ink, accent: '#804020', tint: '#f0f0f0' },
  contact: { phone: '+97145550140', email: 'a@example.com', website: 'https://example.com', address: '' },
  licence: 'Northline · ORN 1',
  disclaimer: '',
});

describe('the preview', () => {
  it('lists the samples and returns 404 to other paths', async () => {
    const { text } = await get('/');
    for (const name of ['sale-villa', 'arabic', 'collection']) expect(text).toContain(`/page/new/${name}`);
    for (const place of ['/page/new/none', '/page/modern/bare', '/pdf/new/..%2Fbare', '/assets/fonts/none', '/x']) {
      expect((await get(place)).status, place).toBe(404);
    }
  });

  it.each(['classic', 'new'])('shows a sample in the %s design with its fonts and photos', async design => {
    const { status, text } = await get(`/page/${design}/portrait-photos`);
    expect(status).toBe(200);
    expect(text).not.toContain('brochure.invalid');
    const photo = /src="(\/assets\/photos\/[^"]+)"/.exec(text)?.[1] ?? '';
    expect((await get(photo)).status).toBe(200);
    expect((await get('/assets/fonts/manrope-latin-400.woff2')).status).toBe(200);
  });

  it('shows an error in place of the page, reports a change, and shows the changed page', async () => {
    const before = await get('/page/classic/rent-office');
    expect(before.status).toBe(500);
    expect(before.text).toContain('There is no brand "northline".');

    const changes = await fetch(`${preview.url}/changes`);
    const reader = changes.body?.getReader();
    await writeFile(path.join(folder, 'mark.svg'), '<svg viewBox="0 0 1 1"></svg>');
    await writeFile(path.join(folder, 'northline.json'), JSON.stringify(brand('#123456')));
    const event = await reader?.read();
    expect(new TextDecoder().decode(event?.value)).toBe('data: changed\n\n');
    await reader?.cancel();

    const after = await get('/page/classic/rent-office');
    expect(after.status).toBe(200);
    expect(after.text).toContain('--ink: #123456');
  });
});
