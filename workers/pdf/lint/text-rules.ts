/** Checks purpose, place, coordinates, title and description. */
import { kindOf, purposeOf } from '../layout/view/vocabulary.ts';
import type { Listing } from '../listing.ts';
import { type FieldFinding, hint, warning } from './finding.ts';

/** In characters; longer titles are printed smaller or cut. */
const maxTitle = 90;

/** The Emirates with their waters, in degrees. */
const emirates = { south: 22, north: 27, west: 51, east: 57 };

const markup = /<\/?(?:p|br|div|span|ul|li|b|strong|i|em|h\d)\b[^<>]{0,200}>|&(?:nbsp|amp|lt|gt);/i;

export function* textFindings(listing: Listing): Iterable<FieldFinding> {
  const { purpose, city, title_en: title, description_en: description } = listing;
  if (purpose === '') {
    yield warning('purpose-missing', '/purpose', 'There is no purpose; enter "Sale" or "Rent".');
  } else if (purposeOf(purpose) === null && kindOf(listing) !== 'holiday') {
    yield warning('purpose-form', '/purpose', 'The purpose is neither "Sale" nor "Rent".');
  }
  if (city === '') yield warning('city-missing', '/city', 'There is no city; enter it here.');
  yield* coordinateFindings(listing);
  if (title.length > maxTitle) {
    const detail = `The title has ${title.length} characters; titles longer than ${maxTitle} are printed smaller or cut.`;
    yield hint('title-long', '/title_en', detail);
  }
  if (title.length > 12 && /\p{Lu}/u.test(title) && !/\p{Ll}/u.test(title)) {
    const detail = 'The title is all capitals, which portals reject and people find hard to read.';
    yield hint('title-capitals', '/title_en', detail);
  }
  if (description === '') {
    const detail = 'There is no description; add a few sentences.';
    yield hint('description-missing', '/description_en', detail);
  } else if (markup.test(description)) {
    const detail = 'The description contains HTML; only its text is printed.';
    yield hint('description-markup', '/description_en', detail);
  }
}

function* coordinateFindings({ geopoints }: Listing): Iterable<FieldFinding> {
  if (geopoints === '') return;
  const field = '/geopoints';
  const form = 'write latitude, longitude, such as 25.0805, 55.1403.';
  const [latitude = Number.NaN, longitude = Number.NaN, ...more] = geopoints
    .replace(/\s+/g, ' ')
    .split(/ ?[,;|/ ] ?/)
    .map(Number);
  if (!Number.isFinite(latitude) || !Number.isFinite(longitude) || more.length > 0) {
    yield warning('geopoints-form', field, `"${geopoints}" is not a pair of coordinates; ${form}`);
  } else if (!isWithinEmirates(latitude, longitude)) {
    const detail = isWithinEmirates(longitude, latitude)
      ? `Latitude and longitude are swapped; put ${longitude}, ${latitude}.`
      : `The coordinates are outside the Emirates; ${form}`;
    yield warning('geopoints-doubtful', field, detail);
  }
}

const isWithinEmirates = (latitude: number, longitude: number): boolean =>
  latitude >= emirates.south && latitude <= emirates.north && longitude >= emirates.west && longitude <= emirates.east;
