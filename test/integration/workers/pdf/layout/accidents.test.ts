/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Pages of listings as CRMs hold them: no broken words, cut values or overlapping parts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageLanguage } from '../../../../../workers/pdf/contract.ts';
import { openDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import { fitText } from '../../../../../workers/pdf/layout/fit-text.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';
import type { FitText } from '../../../../../workers/pdf/print/print-page.ts';
import { type LayoutPage, openLayoutPage } from '../../../../support/layout-page.ts';

/** Runs in the page. Each fit has a selector, the lines, text and box (in px) of one element. */
const measure: FitText = () => {
  const selectors = [
    'h1',
    'p.amount, .amount p',
    '.facts',
    '.rule',
    '.emblem svg',
    'p.name, .name p',
    '.row',
    '.row dd',
    '.story li',
    '.details dd',
    '.figure bdi',
    '.ledger .proof',
    '.ledger .code',
    '.seal',
    '.ledger',
    '.amenities li',
    '.number bdi',
    '.code .label',
    '.page',
  ];
  const found: string[] = [];
  for (const selector of selectors) {
    for (const element of document.querySelectorAll(selector)) {
      const { left, right, top, bottom, height } = element.getBoundingClientRect();
      const text = (element.textContent ?? '').trim();
      const lines = Math.round(height / Number.parseFloat(getComputedStyle(element).lineHeight));
      let broken = '';
      const node = element.firstChild;
      for (const { index, 0: word } of node instanceof Text ? node.data.matchAll(/[^\s\u00A0]+/g) : []) {
        const range = document.createRange();
        range.setStart(node ?? element, index);
        range.setEnd(node ?? element, index + word.length);
        if (new Set([...range.getClientRects()].map(rect => rect.top)).size > 1) broken = word;
      }
      if (height > 0) found.push(JSON.stringify({ selector, text, left, right, top, bottom, lines, broken }));
    }
  }
  return found.map(field => ({ listing: 0, field, level: 0, cut: false }));
};
const fitAndMeasure = new Function(`(${fitText})(); return (${measure})();`);
const chooseDesign = await openDesigns({ BRANDS_DIR: undefined });

interface Box {
  selector: string;
  text: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
  lines: number;
  broken: string;
}

let page: LayoutPage;
beforeAll(async () => {
  const fit: FitText = () => [];
  // The printer runs the source text of the function.
  fit.toString = () => fitAndMeasure.toString();
  page = await openLayoutPage(fit);
});
afterAll(() => page?.close());

const home = {
  reference_number: 'R-1',
  title_en: 'Two-bedroom apartment',
  price: '3100000',
  bedroom: '2',
  bathroom: '3',
  size: '1240',
  city: 'Dubai',
  community: 'Dubai Marina',
  permit_number: '71400012345',
  permit_url: 'https://trakheesi.dubailand.gov.ae/rev/madmoun/listing/validation?khevJujtDig=2hZ8x1Y9QwErTyUiOpAsDfGh',
  agent: { name: 'Layla Haddad', phone: '+971501234501' },
};
const landscape = { widthPx: 1_920, heightPx: 1_280 };
const portrait = { widthPx: 1_000, heightPx: 1_500 };

async function boxesOf(
  design: 'classic' | 'new',
  fields: object,
  photos: readonly { widthPx: number; heightPx: number }[] = [landscape],
  language: PageLanguage = 'en',
) {
  const chosen = await chooseDesign({ design, language, cover: false });
  const listing = Listing.parse({ ...home, ...fields });
  const places = chosen.arrange(photos, 0, listing);
  const prepared = { listing, photos: places.map(({ slot }) => ({ slot, src: null })), agentPhoto: null };
  const fits = await page.layOut({ html: chosen.html([prepared]), assets: chosen.assets });
  const boxes = fits.map(({ field }): Box => JSON.parse(field));
  return (selector: string) => boxes.filter(box => box.selector === selector);
}

const paragraph = 'This exceptional residence enjoys sweeping views across the water and has been kept with care. ';

describe.each(['classic', 'new'] as const)('the %s design', design => {
  it.each([
    ['a phrase between bars', 'G+4 RESIDENTIAL PLOT | FREEHOLD | NO COMMISSION'],
    ['a long word', 'A WATERFRONT HOME'],
  ])('never breaks a word of a title with %s', async (_, title_en) => {
    for (const photo of [landscape, portrait]) {
      const of = await boxesOf(design, { title_en }, [photo]);
      expect(of('h1').map(({ broken }) => broken)).toEqual(['']);
    }
  });

  it('prints "Price on application" on one line above the facts', async () => {
    const of = await boxesOf(design, { price_on_application: 'yes' });
    const [amount, facts] = [of('p.amount, .amount p')[0], of('.facts')[0]];
    expect(amount?.lines).toBe(1);
    expect(amount?.bottom).toBeLessThanOrEqual(facts?.top ?? 0);
  });

  it('has no ornament behind its title', async () => {
    const of = await boxesOf(
      design,
      { title_en: 'A home with a title of two lines or more, whose words fill them' },
      [],
    );
    const [title, emblem] = [of('h1')[0], of('.emblem svg')[0]];
    expect(emblem?.bottom).toBeLessThanOrEqual(title?.top ?? 0);
  });

  it('prints a long name of an agent whole', async () => {
    const name = 'Mohammed Abdulrahman Al-Suwaidi Al-Hashimi';
    const of = await boxesOf(design, { agent: { name, phone: '+971501234501', brn_number: '54821' } });
    expect(of('p.name, .name p')[0]?.text).toContain(name);
  });

  it('prints a short list of amenities whole beside many details', async () => {
    const of = await boxesOf(design, {
      amenities: 'Balcony, Shared Pool, Shared Gym',
      description_en: paragraph.repeat(30),
      completion_status: 'off_plan',
      developer: 'Emaar',
      project_number: '2967',
      escrow_account: 'AE07033',
      views: 'Sea',
      current_status: 'Vacant',
      service_charge: 'AED 18 per sq ft',
      furnished: 'Yes',
      payment_plan: ['On booking', 'Foundation', 'Handover'].map(milestone => ({
        milestone,
        share: '33%',
        date: '2028',
      })),
    });
    expect(of('.amenities li').map(({ text }) => text)).toEqual(['Balcony', 'Shared Pool', 'Shared Gym']);
  });

  it('shows no coordinates', async () => {
    const of = await boxesOf(design, { geopoints: '25.0805,55.1403', permit_number: '' });
    expect(
      of('.page')
        .map(({ text }) => text)
        .join(' '),
    ).not.toMatch(/25\.08/);
  });

  it('sets the permit number of an Arabic page at the edge of its label', async () => {
    const of = await boxesOf(design, {}, [landscape], 'ar');
    const selector = design === 'new' ? '.figure bdi' : '.number bdi';
    const around = design === 'new' ? (of('.ledger .proof')[0]?.right ?? 0) : (of('.code .label')[0]?.right ?? 0);
    const number = of(selector)[0] ?? expect.fail();
    if (design === 'classic') expect(number.right).toBeCloseTo(around, 0);
    else expect(number.right).toBeLessThan(around);
  });
});

describe('page two of the new design', () => {
  it('has space between three codes, whose numbers are not broken', async () => {
    const of = await boxesOf('new', {
      geopoints: '25.0805,55.1403',
      tour_url: 'https://my.matterport.com/show/?m=abcdefghijk',
    });
    expect(of('.ledger .code')).toHaveLength(3);
    expect(of('.figure bdi').map(({ broken }) => broken)).toEqual(['', '', '']);
    const proofs = of('.ledger .proof');
    const edges = proofs.map(({ right }, at) => (proofs[at + 1]?.left ?? of('.seal')[0]?.left ?? 0) - right);
    for (const space of edges) expect(space).toBeGreaterThan(15);
  });

  it('centres the brand where there is no permit and no code', async () => {
    const of = await boxesOf('new', { permit_number: '', permit_url: '', city: '' }, [landscape, landscape]);
    const [seal, ledger] = [of('.seal')[0], of('.ledger')[0]];
    expect((seal?.left ?? 0) + (seal?.right ?? 0)).toBeCloseTo((ledger?.left ?? 0) + (ledger?.right ?? 0), 0);
  });

  it('never starts with the last item of a list', async () => {
    for (let lines = 4; lines <= 12; lines++) {
      const description_en = `${'A line of text.\n\n'.repeat(lines)}Key features:\n• Sea view\n• Two parking bays\n• Beach access`;
      const of = await boxesOf('new', { description_en });
      const pageTwo = of('.story li').filter(({ top }) => top > 1_123).length;
      expect(pageTwo).not.toBe(1);
    }
  });

  it('prints the instalments of a payment plan below each other, and a long reference whole', async () => {
    const reference_number = 'MERIDIAN-PALM-DXB-SALE-2026-000123456-APARTMENT-A';
    const payment_plan = ['On booking', 'Foundation', 'Handover'].map(milestone => ({
      milestone,
      share: '33%',
      date: '2028',
    }));
    const of = await boxesOf('new', {
      reference_number,
      completion_status: 'off_plan',
      payment_plan,
      description_en: paragraph,
    });
    expect(of('.row dd').map(({ text }) => text)).toContain(reference_number);
    const rows = of('.row').filter(({ text }) => text.includes('33%'));
    expect(new Set(rows.map(({ left }) => left)).size).toBe(1);
    expect(new Set(rows.map(({ top }) => top)).size).toBe(3);
  });
});
