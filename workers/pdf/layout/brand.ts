/** The house a brochure speaks for: name, mark, colours, contact and licence, read from templates/brand.json. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { BrandView } from './listing-view.ts';
import { linkOfEmail, linkOfPhone } from './view/contact.ts';

const Colour = z.string().regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #12312E');

/** A URL with one place to fill in, such as https://example.com/{permit}. */
const urlTemplate = (place: string) =>
  z
    .url({ protocol: /^https$/ })
    .refine(url => url.includes(place), `must contain ${place}`)
    .optional();

export const Brand = z
  .strictObject({
    name: z.string().min(1),
    tagline: z.string(),
    logo: z
      .string()
      .describe('SVG file, relative to brand.json; strokes and fills in currentColor follow the page.'),
    colours: z.strictObject({
      ink: Colour.describe('Dark: headings, dark grounds, white text on it.'),
      accent: Colour.describe('Labels and links on white and on the tint.'),
      tint: Colour.describe('Pale grounds.'),
    }),
    contact: z.strictObject({
      phone: z.string().refine(text => linkOfPhone(text) !== null, 'must be a phone number'),
      email: z.string().refine(text => linkOfEmail(text) !== null, 'must be an e-mail address'),
      website: z.url({ protocol: /^https$/ }),
      address: z.string(),
    }),
    licence: z.string().min(1).describe('Licensed name and office registration number (ORN).'),
    permitUrl: urlTemplate('{permit}').describe(
      'What the permit’s QR code opens; without it no code is printed.',
    ),
    listingUrl: urlTemplate('{reference}').describe('The listing on the house’s own site.'),
    disclaimer: z.string(),
  })
  .describe('The brand of every brochure.');
export type Brand = z.infer<typeof Brand>;

/** A brand and its mark's SVG markup. */
export interface LoadedBrand {
  brand: Brand;
  mark: string;
}

export async function loadBrand(file: URL): Promise<LoadedBrand> {
  const brand = Brand.parse(JSON.parse(await readFile(file, 'utf8')));
  const mark = await readFile(new URL(brand.logo, file), 'utf8');
  return { brand, mark: mark.slice(mark.indexOf('<svg')).trim() };
}

export function viewOfBrand({ brand, mark }: LoadedBrand): BrandView {
  const { contact } = brand;
  const phone = linkOfPhone(contact.phone);
  const email = linkOfEmail(contact.email);
  if (phone === null || email === null)
    throw new Error('The brand was not parsed: its phone or e-mail is none.');
  return {
    name: brand.name,
    accent: brand.colours.accent,
    tagline: brand.tagline,
    mark,
    whiteMark: markIn('#FFFFFF', mark),
    inkMark: markIn(brand.colours.ink, mark),
    accentMark: markIn(brand.colours.accent, mark),
    phone: phone.call,
    email,
    website: { text: new URL(contact.website).host, href: contact.website },
    address: contact.address,
    licence: brand.licence,
    disclaimer: brand.disclaimer,
  };
}

const markIn = (colour: string, mark: string): string =>
  mark.replace('<svg', `<svg class="brand-mark" color="${colour}"`);
