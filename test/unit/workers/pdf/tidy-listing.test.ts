import { describe, expect, it } from 'vitest';
import { lintListings } from '../../../../workers/pdf/lint/lint-listings.ts';
import { Listing } from '../../../../workers/pdf/listing.ts';
import { tidyListing, tidyTitle } from '../../../../workers/pdf/tidy-listing.ts';

const tidied = (description_en: string) =>
  tidyListing(Listing.parse({ reference_number: 'R-1', title_en: 'Home', description_en })).description_en;

describe('a tidy title', () => {
  it.each([
    [
      '*** DISTRESS DEAL *** BELOW OP | VACANT 3BR + MAID | FULL SEA VIEW | MUST SELL!!!',
      'Distress Deal Below OP, Vacant 3BR + Maid, Full Sea View, Must Sell',
    ],
    ['🔥🔥 HOT DEAL 🏡 | 4BR Villa | Single Row ✨ | Corner 😍', 'HOT DEAL, 4BR Villa, Single Row, Corner'],
    ['Chiller Free | 1BR | 4 Cheques | Near Metro', 'Chiller Free, 1BR, 4 Cheques, Near Metro'],
    ['G+4 RESIDENTIAL PLOT | FREEHOLD |', 'G+4 Residential Plot, Freehold'],
    ['APARTMENT IN JBR BY THE SEA', 'Apartment in JBR by the Sea'],
    ['Two-bedroom apartment in Marina Gate', 'Two-bedroom apartment in Marina Gate'],
    ['Garden Homes™ villa!', 'Garden Homes™ villa!'],
    ['فيلا فاخرة | 5 غرف', 'فيلا فاخرة, 5 غرف'],
  ])('of %j is %j', (title, expected) => {
    expect(tidyTitle(title)).toBe(expected);
  });

  it('of signs only stays as it is', () => {
    expect(tidyListing(Listing.parse({ reference_number: 'R-1', title_en: '***' })).title_en).toBe('***');
  });
});

describe('a tidy description', () => {
  it.each([
    ['Sea view. Call Ahmed on +971 50 123 4567 or WhatsApp. Vacant.', 'Sea view. Vacant.'],
    ['Sea view\n📞 Call/WhatsApp: +971 55 987 6543\nVacant', 'Sea view\n\nVacant'],
    ['Follow us on @dubaihomes. A corner plot. #dubai #luxury', 'A corner plot.'],
    ['Mail a@b.example today. See www.b.example now. Ready.', 'Ready.'],
    ['Plot of 10,764 sq ft for AED 12,500,000. C#1 zoning.', 'Plot of 10,764 sq ft for AED 12,500,000. C#1 zoning.'],
  ])('of %j is %j', (description, expected) => {
    expect(tidied(description)).toBe(expected);
  });
});

it.each([
  ['a hashtag', 'Ready. #dubai', true],
  ['an account', 'Follow @dubaihomes', true],
  ['a web address', 'See https://b.example/1', true],
  ['none of them', 'Villa no. 7, 10 minutes to the sea.', false],
])('a description with %s is a warning without cleaning: %s', (_, description_en, isWarned) => {
  const listing = Listing.parse({ reference_number: 'R-1', title_en: 'Home', description_en });
  expect(lintListings([listing]).some(({ code }) => code === 'description-contact')).toBe(isWarned);
});
