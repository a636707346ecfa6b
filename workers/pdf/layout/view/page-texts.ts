/** Title and description of a listing in the languages of its page: a listing may have them in Arabic, too. */
import type { PageLanguage } from '../../contract.ts';
import type { Listing } from '../../listing.ts';

/** By listing, so that its content is parsed once. */
const bilingual = new WeakMap<Listing, Listing>();
const arabic = new WeakMap<Listing, Listing>();

/**
 * The listing with the texts that its page shows. On a page in both languages, the Arabic description follows the English
 * one; the Arabic title stays in `title_ar`.
 */
export function listingIn(language: PageLanguage, listing: Listing): Listing {
  if (language === 'en' || (listing.title_ar === '' && listing.description_ar === '')) return listing;
  const known = language === 'ar' ? arabic : bilingual;
  const shown = known.get(listing) ?? (language === 'ar' ? inArabic(listing) : inBoth(listing));
  known.set(listing, shown);
  return shown;
}

const inArabic = (listing: Listing): Listing => ({
  ...listing,
  title_en: listing.title_ar || listing.title_en,
  description_en: listing.description_ar || listing.description_en,
});

const inBoth = (listing: Listing): Listing => ({
  ...listing,
  description_en: [listing.description_en, listing.description_ar].filter(Boolean).join('\n\n'),
});

/** The fields of the request with the page's title and with the end of its description, which is cut first. */
export function textFieldsOf(language: PageLanguage, { title_ar, description_ar }: Listing) {
  return {
    title: language === 'ar' && title_ar !== '' ? ('title_ar' as const) : ('title_en' as const),
    description: language !== 'en' && description_ar !== '' ? ('description_ar' as const) : ('description_en' as const),
  };
}
