/** How tall the gallery on page two may be: what the words below it are likely to leave, in mm. */
import type { Listing } from '../listing.ts';

/** Between the page's top edge and the closing band, less the space under the gallery. */
const heightMm = 224;

/** 9.2 pt on 13.5 pt, and what the styles add around it. */
const lineMm = 4.76;
const rowMm = 6.5;
const headingMm = 8;
const gapMm = 6.4;

/** Characters of the story that page one holds, and that a line of page two's column holds. */
const charactersOnPosterPage = 650;
const charactersOfLine = 58;

const detailFields = [
  'reference_number',
  'property_type',
  'completion_status',
  'furnished',
  'property_condition',
  'views',
  'current_status',
  'property_managed_by_us',
] as const;

/** An estimate on the safe side: a gallery too tall for its words would cost the reader some of them. */
export function roomForGalleryMm(listing: Listing): number {
  const amenities = listing.amenities.split(',').filter(amenity => amenity.trim() !== '').length;
  const details = headingMm + detailFields.filter(field => listing[field] !== '').length * rowMm;
  const lines = listing.description_en.split('\n').map(line => Math.max(charactersOfLine, line.length));
  const overflow = lines.reduce((sum, length) => sum + length, 0) - charactersOnPosterPage;
  if (overflow <= 0) return heightMm - Math.max(amenitiesMm(amenities, 3), details);
  const story = headingMm + Math.ceil(overflow / charactersOfLine) * lineMm;
  return heightMm - Math.max(story, amenitiesMm(amenities, 2) + gapMm + details);
}

const amenitiesMm = (count: number, columns: number): number =>
  count === 0 ? 0 : headingMm + Math.ceil(count / columns) * lineMm;
