/** Views of listings as the designs and the cover receive them, two pages a listing after one page of cover. */
import { readFile } from 'node:fs/promises';
import { Brand } from '../../workers/pdf/layout/brand.ts';
import { labelsOf } from '../../workers/pdf/layout/labels.ts';
import { type ListingView, viewOfListing } from '../../workers/pdf/layout/view/listing.ts';
import { Listing } from '../../workers/pdf/listing.ts';

const brandFile = new URL('../../templates/brand.json', import.meta.url);

export interface GivenView {
  listing?: object;
  /** Width and height of each photo in mm, and the name of its slot; null for a placeholder. */
  photos?: readonly (readonly [widthMm: number, heightMm: number, slot?: string] | null)[];
  /** URL of the loaded map. */
  map?: string;
}

export async function listingViews(given: readonly GivenView[], language: 'en' | 'ar' | 'both' = 'en') {
  const brand = Brand.parse(JSON.parse(await readFile(brandFile, 'utf8')));
  const labels = labelsOf(language);
  const settings = { brand, labels, currency: 'AED', ownPages: 2 };
  return given.map(({ listing = {}, photos = [], map }, index): ListingView => {
    const fields = { reference_number: `R-${index}`, title_en: `Home ${index}`, city: 'Dubai', ...listing };
    const placed = photos.map((photo, at) => {
      const [widthMm, heightMm, name = `hero-${at}`] = photo ?? [1, 1];
      return { slot: { name, widthMm, heightMm }, src: photo && `photo-${index}-${at}` };
    });
    const prepared = { listing: Listing.parse(fields), photos: placed, agentPhoto: null, map };
    return viewOfListing(prepared, index, { ...settings, firstPage: 2 + 2 * index });
  });
}
