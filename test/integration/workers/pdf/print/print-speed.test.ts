/** The service uses no way of printing that is many times slower (`npm run bench -- photo-embedding`). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createGuardedFetch } from '../../../../../core/egress/guarded-fetch.ts';
import { composeDocument } from '../../../../../workers/pdf/compose-document.ts';
import { openDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';
import { openPhotoCache } from '../../../../../workers/pdf/photos/photo-cache.ts';
import { startLoopbackServer } from '../../../../support/loopback-server.ts';
import { documentOf, testPrinter } from '../../../../support/printing.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..', '..');

describe('slow ways of printing', () => {
  it('are not in the styles of a design', () => {
    const templates = readdirSync(join(root, 'templates', 'pdf'), { recursive: true, encoding: 'utf8' });
    const sources = templates.filter(file => /\.(css|hbs|mjml|html)$/.test(file));
    expect(sources.length).toBeGreaterThan(4);
    for (const file of sources) {
      const text = readFileSync(join(root, 'templates', 'pdf', file), 'utf8');
      expect({
        file,
        found: /object-fit|object-position|background(-image|-size)?:[^;]*(url\(|cover)/.exec(text)?.[0],
      }).toEqual({ file });
    }
  });

  it('are not in the code: no print waits for an idle network', () => {
    const folder = join(root, 'workers', 'pdf');
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (file.endsWith('.ts')) expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/networkidle/i);
    }
  });

  it('are not in the page pool: forty prints use one page', async () => {
    const printer = await testPrinter({ pages: 1 });
    for (let print = 0; print < 40; print++) {
      await printer.print({
        html: documentOf('<h1>Home</h1>'),
        assets: new Map(),
        signal: AbortSignal.timeout(60_000),
      });
    }
    expect(printer.counts()).toMatchObject({ prints: 40, pagesOpened: 1, browserLaunches: 1 });
    await printer.close();
  });
});

describe('the asset', () => {
  it.each(['webp', 'png', 'avif'] as const)('of a photo in %s is a JPEG in the shape of the slot', async format => {
    const server = await startLoopbackServer(async (_, response) => {
      const grey = sharp({ create: { width: 640, height: 480, channels: 3, background: 'grey' } });
      response.end(await grey.toFormat(format, { effort: 1 }).toBuffer());
    });
    const source = {
      fetcher: createGuardedFetch({ allow: [{ kind: 'host', hostname: '127.0.0.1', port: server.port }] }),
      cache: openPhotoCache(temporaryFolder()),
    };
    const chooseDesign = await openDesigns({});
    const design = await chooseDesign({ design: 'new', language: 'en', cover: false });
    const listing = Listing.parse({ reference_number: 'R', title_en: 'T', photo: [`${server.origin}/1`] });
    const context = { signal: AbortSignal.timeout(30_000), progress: () => undefined };
    const { cropped, prepared } = await composeDocument([listing], design, source, context);
    await source.fetcher.close();
    await server.close();
    expect(cropped.size).toBe(1);
    for (const { body, contentType } of cropped.values()) {
      expect([contentType, body.toString('latin1', 0, 3)]).toEqual(['image/jpeg', '\xff\xd8\xff']);
      const { width, height } = await sharp(body).metadata();
      const slot = prepared[0]?.photos.find(({ src }) => src !== null)?.slot;
      expect(width / height).toBeCloseTo((slot?.widthMm ?? 0) / (slot?.heightMm ?? 1), 1);
    }
  });
});
