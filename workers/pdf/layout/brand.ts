/** The brand of a brochure: name, logo, colours, contact and licence. The default is templates/brand.json. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { PermitBrand } from '../vocabulary/permits.ts';
import type { Labels } from './labels.ts';
import { linkOfEmail, linkOfPhone } from './view/links.ts';

const Colour = z.string().regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #12312E');

export const Brand = z
  .strictObject({
    name: z.string().min(1),
    tagline: z.string(),
    logo: z
      .string()
      .describe('SVG file, relative to the brand file; strokes and fills in currentColor take the colour of the page.'),
    colours: z.strictObject({
      ink: Colour.describe('Dark: headings, and backgrounds of white text.'),
      accent: Colour.describe('Labels and links, on white and on `tint`.'),
      tint: Colour.describe('Pale backgrounds.'),
    }),
    contact: z.strictObject({
      phone: z.string().refine(text => linkOfPhone(text) !== null, 'must be a phone number'),
      email: z.string().refine(text => linkOfEmail(text) !== null, 'must be an e-mail address'),
      website: z.url({ protocol: /^https$/ }),
      address: z.string(),
    }),
    licence: z.string().min(1).describe('Licensed name and office registration number (ORN).'),
    ...PermitBrand.shape,
    listingUrl: z
      .url({ protocol: /^https$/ })
      .refine(url => url.includes('{reference}'), 'must contain {reference}')
      .optional()
      .describe('The listing on the brand’s website.'),
    tidy: z
      .boolean()
      .default(false)
      .describe(
        'Cleans titles (capitals, emoji, ***, !!!, separators) and removes contact data and hashtags from descriptions.',
      ),
    disclaimer: z.string(),
    arabic: z
      .strictObject({ tagline: z.string(), disclaimer: z.string() })
      .partial()
      .optional()
      .describe('Replaces the texts of the same names on Arabic pages; bilingual ones have both disclaimers.'),
  })
  .describe('A brand of brochures.');
export type Brand = z.infer<typeof Brand>;

export type LoadedBrand = Awaited<ReturnType<typeof loadBrand>>;

/** @returns the brand, and the SVG markup of its logo */
export async function loadBrand(file: URL) {
  const brand = Brand.parse(JSON.parse(await readFile(file, 'utf8')));
  const mark = await readFile(new URL(brand.logo, file), 'utf8');
  return { brand, mark: mark.slice(mark.indexOf('<svg')).trim() };
}

/** The brand in the context of the templates. */
export function viewOfBrand({ brand, mark }: LoadedBrand, { lang, second }: Pick<Labels, 'lang' | 'second'>) {
  const { contact } = brand;
  const { tagline, disclaimer } = { ...brand, ...(lang === 'ar' && brand.arabic) };
  const phone = linkOfPhone(contact.phone);
  const email = linkOfEmail(contact.email);
  if (phone === null || email === null) throw new Error('The brand has an invalid phone or e-mail address.');
  return {
    name: brand.name,
    /** Colour of labels and icons: "#8A5A2B". */
    accent: brand.colours.accent,
    /** The colour of thin lines: the ink at 18%. */
    rule: tintOf(brand.colours.ink, 0.18),
    tagline,
    /** In currentColor; the others have a fixed colour, which print/extract-svg.ts embeds once per document. */
    mark,
    whiteMark: colouredMark('#FFFFFF', mark),
    inkMark: colouredMark(brand.colours.ink, mark),
    accentMark: colouredMark(brand.colours.accent, mark),
    phone: phone.call,
    email,
    website: { text: new URL(contact.website).host, href: contact.website },
    address: contact.address,
    licence: brand.licence,
    disclaimer,
    /** The Arabic disclaimer of a bilingual page. */
    disclaimerArabic: second === null ? '' : (brand.arabic?.disclaimer ?? ''),
  };
}

/** The colour mixed with white. */
const tintOf = (colour: string, share: number): string =>
  colour.replaceAll(/[0-9a-f]{2}/gi, part =>
    Math.round(255 - share * (255 - Number.parseInt(part, 16)))
      .toString(16)
      .padStart(2, '0'),
  );

const colouredMark = (colour: string, mark: string): string =>
  mark.replace('<svg', `<svg class="brand-mark" color="${colour}"`);
