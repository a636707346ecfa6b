/** The location of a listing on its pages: a map of the configured provider, or the distances to known landmarks. */
import { z } from 'zod';
import type { Listing } from '../../listing.ts';
import type { DetailView } from '../document-view.ts';
import type { Labels } from '../labels.ts';
import { type Coordinates, nearestLandmarks } from './landmarks.ts';
import { coordinatesOf } from './links.ts';
import { cleanText, directed } from './text.ts';

const placeholders = ['{lat}', '{lon}', '{zoom}', '{w}', '{h}'];

export const MapConfig = z.object({
  MAP_URL: z
    .string()
    .refine(url => ['{lat}', '{lon}'].every(name => url.includes(name)), 'must contain {lat} and {lon}')
    .refine(url => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol), 'must be an http or https URL')
    .optional()
    .describe(
      `Static maps of brochures: URL of an image, with ${placeholders.join(', ')}; unset: distances to landmarks instead.`,
    ),
  MAP_ATTRIBUTION: z
    .string()
    .max(120)
    .default('')
    .describe('Printed below each map, such as "© OpenStreetMap contributors"; most providers require it.'),
});
export type MapConfig = z.infer<typeof MapConfig>;

/** As wide as five columns of both designs. */
export const mapSlot = { name: 'map', widthMm: 73.5, heightMm: 36, crop: 'centre', isDrawing: true } as const;

/** Streets around the property. */
const zoom = 14;
/** Pixels per inch, for which the labels of most providers are readable on paper. */
const mapDpi = 150;

export function mapUrlOf({ MAP_URL }: Partial<MapConfig>, listing: Pick<Listing, 'geopoints'>): string | null {
  const place = coordinatesOf(listing.geopoints);
  if (MAP_URL === undefined || place === null) return null;
  const pixels = (mm: number) => String(Math.round((mm / 25.4) * mapDpi));
  const { latitude, longitude } = place;
  const values = [latitude, longitude, zoom, pixels(mapSlot.widthMm), pixels(mapSlot.heightMm)];
  return placeholders.reduce((url, name, at) => url.replaceAll(name, String(values[at])), MAP_URL);
}

/** "850 m", "4.2 km", "23 km". */
function distanceText(km: number, labels: Labels): string {
  const [number, unit] = km < 1 ? [Math.round(km * 20) * 50, 'metre' as const] : [km, 'kilometre' as const];
  const rounded = km < 1 || km >= 10 ? Math.round(number).toString() : number.toFixed(1);
  return `${rounded}\u2009${labels.plain(unit)}`;
}

/** Rows of the location: the community, then the landmarks; empty far away from all of them. */
export function locationRowsOf(listing: Listing, labels: Labels): DetailView[] {
  const place = coordinatesOf(listing.geopoints);
  const rows = place === null ? [] : landmarkRows(place, labels);
  const community = cleanText(listing.community);
  if (rows.length === 0 || community === '') return rows;
  return [{ field: 'community', label: labels.label('community'), value: directed(community) }, ...rows];
}

const landmarkRows = (place: Coordinates, labels: Labels): DetailView[] =>
  nearestLandmarks(place).map(({ name: [english, arabic], km }) => ({
    field: 'geopoints',
    label: labels.lang === 'ar' ? arabic : english,
    value: directed(distanceText(km, labels)),
  }));
