/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Composition of the samples' pages: distances, sizes of codes and thumbnails, weights of rules, number of logos. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSamples, type Sample, type Samples } from '../../../../../workers/pdf/gallery/samples.ts';
import type { Design } from '../../../../../workers/pdf/layout/design.ts';
import { openDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import { fitText } from '../../../../../workers/pdf/layout/fit-text.ts';
import type { FitText } from '../../../../../workers/pdf/print/print-page.ts';
import { type LayoutPage, layoutOf, openLayoutPage } from '../../../../support/layout-page.ts';

/** Runs in the page: `kind: page, value` in the field of each fit. Sizes in px of 1/96 inch. */
const measure: FitText = () => {
  const found: string[] = [];
  const sizeOf = (element: Element) => {
    const { width, height } = element.getBoundingClientRect();
    return `${width.toFixed(0)} x ${height.toFixed(0)}`;
  };
  const isShown = (element: Element) => element.getBoundingClientRect().height > 0;
  for (const [at, page] of [...document.querySelectorAll('.page, .cover')].entries()) {
    const add = (kind: string, value: string | number) => found.push(`${kind}: ${at}, ${value}`);
    const [card, footer] = [page.querySelector('.card'), page.querySelector('.footer')];
    if (card && footer) add('space', footer.getBoundingClientRect().top - card.getBoundingClientRect().bottom);
    for (const code of page.querySelectorAll('.qr-code')) add('code', sizeOf(code));
    for (const rule of [...page.querySelectorAll('.rule')].filter(isShown))
      add('rule', sizeOf(rule).replace(/.* x/, ''));
    for (const element of page.querySelectorAll('*')) {
      const { borderTopWidth, borderBottomWidth } = getComputedStyle(element);
      if (borderTopWidth !== '0px' || borderBottomWidth !== '0px') add('border', element.className);
    }
    for (const logo of [...page.querySelectorAll('.brand-mark, .emblem svg, .mark svg')].filter(isShown))
      add('logo', logo.parentElement?.className ?? '');
    for (const box of page.querySelectorAll('.cover-photo')) add('thumbnail', sizeOf(box));
    for (const lead of page.querySelectorAll('.cover-lead')) add('lead', sizeOf(lead));
    for (const name of page.querySelectorAll('.cover-name'))
      if (name.textContent?.includes('…')) add('cut', name.textContent);
  }
  return found.map(field => ({ listing: 0, field, level: 0, cut: false }));
};
const fitAndMeasure = new Function(`(${fitText})(); return (${measure})();`);
const chooseDesign = await openDesigns({ BRANDS_DIR: undefined });

let page: LayoutPage;
let samples: Samples;
beforeAll(async () => {
  const fit: FitText = () => [];
  // The printer runs the source text of the function.
  fit.toString = () => fitAndMeasure.toString();
  page = await openLayoutPage(fit);
  samples = await openSamples();
});
afterAll(async () => {
  await page?.close();
  await samples?.close();
});

interface Measured {
  page: number;
  value: string;
}

async function measured(
  name: string,
  options: Partial<Sample['request']> & { design: 'classic' | 'new' },
  design?: (chosen: Design) => Design,
) {
  const sample = await samples.read(name);
  const request = { ...sample.request, ...options };
  const chosen = await chooseDesign(request);
  const fits = await page.layOut(await layoutOf({ ...sample, request }, samples, design?.(chosen) ?? chosen));
  return (kind: string): Measured[] =>
    fits.flatMap(({ field }) => {
      const [, page, value = ''] = new RegExp(`^${kind}: (\\d+), (.*)$`).exec(field) ?? [];
      return page === undefined ? [] : [{ page: Number(page), value }];
    });
}

describe.each(['en', 'ar', 'both'] as const)('with the language %s', language => {
  it.each(['both-languages', 'portrait-photos'])(
    'the agent card of %s is at least 3 mm above the footer',
    async name => {
      const space = (await measured(name, { design: 'new', language }))('space').map(({ value }) => Number(value));
      expect(Math.min(...space)).toBeGreaterThan((3 / 25.4) * 96);
    },
  );
});

describe.each(['classic', 'new'] as const)('in the %s design', design => {
  it('all rules are drawn as lines of one weight, because the width of a border depends on its position', async () => {
    const of = await measured('sale-villa', { design });
    expect(of('border')).toEqual([]);
    expect(of('rule').length).toBeGreaterThan(5);
    expect(new Set(of('rule').map(({ value }) => value))).toEqual(new Set([' 1']));
  });

  it('the cover has a photo across the page, thumbnails of one size and whole titles', async () => {
    const of = await measured('collection', { design, cover: true });
    expect(of('lead')).toEqual([{ page: 0, value: expect.stringMatching(/^794 x /) }]);
    expect(of('thumbnail')).toHaveLength(6);
    expect(new Set(of('thumbnail').map(({ value }) => value))).toEqual(new Set(['110 x 68']));
    expect(of('cut')).toEqual([]);
  });
});

it('the codes of the permit, the map and the tracked link have one size, beside the logo', async () => {
  const of = await measured('sale-villa', { design: 'new' }, chosen => ({
    ...chosen,
    html: listings => chosen.html(listings.map(listing => ({ ...listing, trackedUrl: 'https://go.example/r/ab1' }))),
  }));
  const codes = of('code').filter(({ page }) => page === 1);
  expect(codes).toHaveLength(3);
  expect(new Set(codes.map(({ value }) => value)).size).toBe(1);
  expect(of('logo').filter(({ page }) => page === 1)).toHaveLength(1);
});

it.each(['bare', 'no-photos', 'sale-land'])('page two of %s has at most two logos', async name => {
  const logos = (await measured(name, { design: 'new' }))('logo').filter(({ page }) => page === 1);
  expect(logos.length).toBeLessThanOrEqual(2);
});
