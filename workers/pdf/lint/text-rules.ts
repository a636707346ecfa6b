/** What is said about the home: place, purpose, coordinates, title and story. */
import type { Listing } from '../listing.ts';
import { type FieldFinding, hint, warning } from './finding.ts';

/** Longer ones are set smaller, or cut. */
const longestTitle = 90;

/** The Emirates with their waters, in degrees. */
const emirates = { south: 22, north: 27, west: 51, east: 57 };

export function textFindings(listing: Listing): FieldFinding[] {
  return [
    ...purposeFindings(listing),
    ...placeFindings(listing),
    ...titleFindings(listing),
    ...storyFindings(listing),
  ];
}

function purposeFindings({ purpose }: Listing): FieldFinding[] {
  if (purpose === '')
    return [warning('purpose-missing', '/purpose', 'There is no purpose; put "Sale" or "Rent" here.')];
  if (/sale|sell|buy|rent|let|lease|بيع|إيجار/i.test(purpose)) return [];
  return [warning('purpose-form', '/purpose', 'The purpose is neither "Sale" nor "Rent".')];
}

function placeFindings(listing: Listing): FieldFinding[] {
  const findings: FieldFinding[] = [];
  if (listing.city === '') findings.push(warning('city-missing', '/city', 'There is no city; put it here.'));
  const { geopoints } = listing;
  if (geopoints === '') return findings;
  const [latitude, longitude, ...more] = geopoints.split(/\s*[,;|/ ]\s*/).map(Number);
  const isPlace = Number.isFinite(latitude) && Number.isFinite(longitude) && more.length === 0;
  if (!isPlace || latitude === undefined || longitude === undefined) {
    findings.push(
      warning(
        'geopoints-form',
        '/geopoints',
        'These are no coordinates; write latitude, longitude, as in 25.0805, 55.1403.',
      ),
    );
  } else if (!isWithinEmirates(latitude, longitude)) {
    findings.push(warning('geopoints-doubtful', '/geopoints', elsewhere(latitude, longitude)));
  }
  return findings;
}

const isWithinEmirates = (latitude: number, longitude: number): boolean =>
  latitude >= emirates.south &&
  latitude <= emirates.north &&
  longitude >= emirates.west &&
  longitude <= emirates.east;

const elsewhere = (latitude: number, longitude: number): string =>
  isWithinEmirates(longitude, latitude)
    ? `The coordinates are the wrong way round; put ${longitude}, ${latitude}.`
    : 'The coordinates lie outside the Emirates; write latitude, longitude, as in 25.0805, 55.1403.';

function titleFindings({ title_en: title }: Listing): FieldFinding[] {
  const findings: FieldFinding[] = [];
  if (title.length > longestTitle) {
    findings.push(
      hint(
        'title-long',
        '/title_en',
        `The title has ${title.length} characters; beyond ${longestTitle} it is set small, or cut.`,
      ),
    );
  }
  if (title.length > 12 && /\p{Lu}/u.test(title) && !/\p{Ll}/u.test(title)) {
    findings.push(
      hint(
        'title-capitals',
        '/title_en',
        'The title is all capitals; portals refuse that, and it is hard to read.',
      ),
    );
  }
  return findings;
}

function storyFindings({ description_en: story }: Listing): FieldFinding[] {
  if (story === '')
    return [
      hint(
        'description-missing',
        '/description_en',
        'There is no description; a few sentences sell better than none.',
      ),
    ];
  if (/<\/?(?:p|br|div|span|ul|li|b|strong|i|em|h\d)\b[^>]*>|&(?:nbsp|amp|lt|gt);/i.test(story)) {
    return [
      hint(
        'description-markup',
        '/description_en',
        'The description holds HTML, which is printed as text; send plain text.',
      ),
    ];
  }
  return [];
}
