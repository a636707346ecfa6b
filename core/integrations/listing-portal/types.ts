/** The sorts of places that the listing portal knows; places of the UAE have the first four. */
export const locationTypes = [
  ...(['city', 'community', 'subcommunity', 'tower'] as const),
  ...(['region', 'governorate', 'town', 'village', 'district', 'street', 'project', 'compound'] as const),
  ...(['area', 'province', 'subdistrict'] as const),
] as const;
