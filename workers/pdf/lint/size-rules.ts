/** The size: in square feet, as the pages print it. */
import type { Listing } from '../listing.ts';
import { error, type FieldFinding, warning } from './finding.ts';
import { inThousands, numberIn } from './number-in.ts';

const squareFeetInSquareMetre = 10.7639;
const metric = /(?:m²|m2|sqm|sq\.? ?m(?:et(?:er|re)s?)?|square met(?:er|re)s?|متر)\.?$/i;
const imperial = /\s*(?:ft²|ft2|sqft|sq\.? ?f(?:ee)?t\.?|square f(?:ee|oo)t|قدم)\.?$/i;

/** Square feet. A home of so many bedrooms with less is measured in square metres. */
const leastWithBedroom = 200;
const leastWithThreeBedrooms = 500;
/** Square feet; beyond it is land, or a figure with a digit too many. */
const most = 500_000;

export function sizeFindings(listing: Listing): FieldFinding[] {
  const { size } = listing;
  if (size === '') return [];
  if (metric.test(size)) return [inMetres(size)];
  const squareFeet = numberIn(size.replace(imperial, ''));
  if (squareFeet === undefined) {
    return [warning('size-form', '/size', 'The size is no number of square feet; write it as 1312.')];
  }
  if (squareFeet === 0)
    return [error('size-zero', '/size', 'The size is 0; put the square feet, or leave the field empty.')];
  return isDoubtful(listing, squareFeet)
    ? [
        warning(
          'size-doubtful',
          '/size',
          `${inThousands(squareFeet)} sq ft is unusual for this home: size is in square feet, and ${inThousands(squareFeet)} m² would be ${inThousands(squareFeet * squareFeetInSquareMetre)}.`,
        ),
      ]
    : [];
}

function inMetres(size: string): FieldFinding {
  const metres = numberIn(size.replace(metric, '').trim());
  const said = metres === undefined ? '' : `; put ${Math.round(metres * squareFeetInSquareMetre)}`;
  return warning('size-units', '/size', `The size is in square metres and is printed as square feet${said}.`);
}

function isDoubtful({ bedroom, property_type: type }: Listing, squareFeet: number): boolean {
  const bedrooms = numberIn(bedroom) ?? 0;
  if (squareFeet > most) return !/land|plot|farm|warehouse|building|compound/i.test(type);
  return bedrooms >= 3 ? squareFeet < leastWithThreeBedrooms : bedrooms >= 1 && squareFeet < leastWithBedroom;
}
