/** The price: there, more than nothing, and of the order of what it is asked for. */
import type { Listing } from '../listing.ts';
import { error, type FieldFinding, hint, warning } from './finding.ts';
import { inThousands, numberIn, saysYes } from './number-in.ts';

/** AED. No home is sold below; a figure like this is a rent, or thousands were left out. */
const leastSale = 50_000;
/** AED a year. No home is let above; a figure like this is a sale price. */
const mostRent = 20_000_000;
const leastYearlyRent = 5_000;

const isRent = (listing: Listing): boolean => /rent|let|lease/i.test(listing.purpose);
const isYearly = ({ rental_period: period }: Listing): boolean => /year|annual|annum/i.test(period);

export function priceFindings(listing: Listing): FieldFinding[] {
  if (saysYes(listing.price_on_application)) return [];
  const text = listing.price.replace(/^AED\s*|\s*AED$/i, '');
  const price = numberIn(text);
  if (text === '') {
    return [
      warning(
        'price-missing',
        '/price',
        'There is no price; put it here, or "Yes" into price_on_application.',
      ),
    ];
  }
  if (price === undefined) {
    return [
      hint(
        'price-text',
        '/price',
        'The price is no number, so it is printed as it stands; write it as 1250000.',
      ),
    ];
  }
  if (price === 0) {
    return [
      error('price-zero', '/price', 'The price is 0; put the price, or "Yes" into price_on_application.'),
    ];
  }
  return isRent(listing) ? rentFindings(listing, price) : saleFindings(price);
}

function saleFindings(price: number): FieldFinding[] {
  if (price >= leastSale) return [];
  return [
    warning(
      'price-doubtful',
      '/price',
      `AED ${inThousands(price)} is little for a sale: see that no thousands are missing, and that purpose is not Rent.`,
    ),
  ];
}

function rentFindings(listing: Listing, price: number): FieldFinding[] {
  const findings: FieldFinding[] = [];
  if (listing.rental_period === '') {
    findings.push(
      warning(
        'rental-period-missing',
        '/rental_period',
        'A rent without its period tells little; put "Yearly" or "Monthly" here.',
      ),
    );
  }
  if (price > mostRent || (isYearly(listing) && price < leastYearlyRent)) {
    findings.push(
      warning(
        'price-doubtful',
        '/price',
        `AED ${inThousands(price)} is an unusual rent: see that it is for the period given, and that purpose is not Sale.`,
      ),
    );
  }
  return findings;
}
