import type { BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import { fitText, type TextFit } from '../../../../../workers/pdf/layout/fit-text.ts';
import type { PreparedListing } from '../../../../../workers/pdf/layout/view/listing.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';
import { usualListing } from '../../../../support/extreme-listings.ts';
import { sharedBrowser } from '../../../../support/shared-browser.ts';

const { new: design, classic } = await loadDesigns();
const sentence = 'The terrace looks over the marina and the open sea beyond. ';
const paragraph = sentence.repeat(5);

let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  const browser = await sharedBrowser();
  context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: 794, height: 1123 },
  });
  page = await context.newPage();
  await page.route('**/*', async route => {
    const asset = design.assets.get(route.request().url());
    if (asset === undefined) return await route.abort();
    const headers = { 'access-control-allow-origin': '*' };
    await route.fulfill({ body: asset.body, contentType: asset.contentType, headers });
  });
});

afterAll(() => context?.close());

const prepared = (fields: object, chosen = design): PreparedListing => {
  const listing = Listing.parse({ reference_number: 'R-1', title_en: 'Home', ...fields });
  const shapes = Array.from({ length: 9 }, () => ({ widthPx: 1920, heightPx: 1280 }));
  const photos = chosen.arrange(shapes, 0, listing).map(({ slot }) => ({ slot, src: null }));
  return { listing, photos, agentPhoto: null };
};

/** Prints listings into the page and fits them; tsx wraps functions in `__name`. */
const fitted = (...listings: object[]) => fittedHtml(design.html(listings.map(fields => prepared(fields))));

async function fittedHtml(html: string): Promise<TextFit[]> {
  await page.setContent(html, { waitUntil: 'load' });
  await page.evaluate('(document.body.offsetHeight, document.fonts.ready.then(() => true))');
  return await page.evaluate<TextFit[]>(
    `(() => { const __name = value => value; return (${fitText.toString()})(); })()`,
  );
}

/** The text in the boxes of a field, and whether every line is inside its box. */
async function shown(selector: string): Promise<{ words: string; inside: boolean }> {
  return await page.evaluate(
    `(() => {
      const boxes = [...document.querySelectorAll(${JSON.stringify(selector)})];
      const leaves = boxes.flatMap(box => [...box.querySelectorAll('p, h3, li')].map(leaf => [box, leaf]));
      return {
        words: leaves.map(([, leaf]) => leaf.textContent.trim()).join(' ').replace(/\\s+/g, ' ').trim(),
        inside: leaves.every(([box, leaf]) => leaf.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom + 1),
      };
    })()`,
  );
}

describe('fitText', () => {
  it('changes and reports nothing when everything fits', async () => {
    expect(await fitted({ description_en: paragraph, amenities: 'Pool, Gym' })).toEqual([]);
    expect((await shown('[data-flow]')).words).toBe(paragraph.trim());
  });

  it.each([2, 3, 4, 5, 6, 7])('flows %i paragraphs from page one to page two without losing a word', async count => {
    const text = Array.from({ length: count }, () => paragraph).join('\n\n');
    const fits = await fitted({ description_en: text });
    const { words, inside } = await shown('[data-flow]');
    expect(words).toBe(text.replace(/\s+/g, ' ').trim());
    expect(inside).toBe(true);
    expect(fits.every(({ cut }) => !cut)).toBe(true);
  });

  it('keeps at least two lines on each side of a break', async () => {
    await fitted({ description_en: Array.from({ length: 4 }, () => paragraph).join('\n\n') });
    const lines = await page.evaluate<number[]>(`[...document.querySelectorAll('[data-flow]')].flatMap(box =>
      [box.firstElementChild, box.lastElementChild].map(leaf =>
        Math.round(leaf.getBoundingClientRect().height / parseFloat(getComputedStyle(leaf).lineHeight))))`);
    for (const count of lines) expect(count).toBeGreaterThanOrEqual(2);
  });

  it('keeps a heading with its list', async () => {
    const lines = (count: number) => `${paragraph}\n\n${'Fill.\n'.repeat(count)}\nFeatures:\n- Pool\n- Gym\n- Park`;
    for (const count of [3, 4, 5, 6]) {
      await fitted({ description_en: lines(count) });
      const last = await page.evaluate<string>(`document.querySelector('[data-flow]').lastElementChild.tagName`);
      expect(last).not.toBe('H3');
    }
  });

  it('shrinks a long story, cuts a longer one after a sentence, and reports both', async () => {
    const fits = await fitted({ description_en: paragraph.repeat(6) }, { description_en: paragraph.repeat(150) });
    const story = fits.filter(({ field }) => field === 'description_en');
    expect(story).toContainEqual({ listing: 1, field: 'description_en', level: 2, cut: true });
    const { words, inside } = await shown('[data-listing="1"] [data-flow]');
    expect(inside).toBe(true);
    expect(words).toMatch(/beyond\. …$/);
  });

  it.each([
    ['one long word', 'Supercalifragilistic'.repeat(300)],
    ['Arabic', 'فيلا فاخرة على شاطئ البحر مع مسبح خاص وحديقة واسعة. '.repeat(300)],
    ['a list', '- Pool and garden\n'.repeat(400)],
    ['emoji', '🏡🌊😍 '.repeat(1_500)],
  ])('keeps %s inside its boxes', async (_, description_en) => {
    const fits = await fitted({ description_en });
    expect(fits).toContainEqual({ listing: 0, field: 'description_en', level: 2, cut: true });
    const { words, inside } = await shown('[data-flow]');
    expect(inside).toBe(true);
    expect(words.endsWith('…')).toBe(true);
  });

  it('shrinks a title in two steps, then ends it with an ellipsis', async () => {
    const title = (words: number) => ({ title_en: 'Beachfront penthouse '.repeat(words) });
    const fits = await fitted(title(2), title(7), title(9), title(40));
    expect(
      fits.filter(({ field }) => field === 'title_en').map(({ listing, level, cut }) => [listing, level, cut]),
    ).toEqual([
      [1, 1, false],
      [2, 2, false],
      [3, 2, true],
    ]);
  });

  it('shows the number of removed amenities', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `Amenity number ${at}`);
    const fits = await fitted({ amenities: names.join(', '), description_en: paragraph.repeat(6) });
    expect(fits).toContainEqual({ listing: 0, field: 'amenities', level: 0, cut: true });
    const { words, inside } = await shown('[data-items]');
    const remaining = words.match(/Amenity Number/g)?.length ?? 0;
    expect(inside).toBe(true);
    expect(remaining).toBeGreaterThan(5);
    expect(words.endsWith(`+${60 - remaining} more`)).toBe(true);
  });

  it('drops rows of details that the classic page has no space for, with a warning', async () => {
    const payment_plan = Array.from({ length: 6 }, (_, at) => ({ milestone: `Part ${at}`, share: '1%' }));
    const rows = { developer: 'Emaar', project_number: '1', escrow_account: '2', handover: 'Q4', service_charge: '3' };
    const media = { video_url: 'https://video.example/1', tour_url: 'https://tour.example/1', amenities: 'Pool, Gym' };
    const all = prepared({ ...usualListing, ...rows, ...media, payment_plan }, classic);
    const fits = await fittedHtml(classic.html([all]));
    expect(fits).toContainEqual({ listing: 0, field: 'payment_plan', level: 0, cut: true });
    const isInside = `(() => {
      const last = document.querySelector('[data-rows] > :last-child');
      const footer = document.querySelector('.footer');
      return last.querySelector('dd').textContent === '1%' && last.getBoundingClientRect().bottom <= footer.getBoundingClientRect().top;
    })()`;
    expect(await page.evaluate(isInside)).toBe(true);
  });
});
