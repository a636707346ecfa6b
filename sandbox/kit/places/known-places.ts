/** The shape of the hand-written part of the gazetteer: cities, their communities, and these's subcommunities. */

export interface KnownCity {
  name: string;
  nameAr: string;
  communities: readonly KnownCommunity[];
}

export interface KnownCommunity {
  name: string;
  nameAr: string;
  lat: number;
  lng: number;
  /** `Mira > Mira 1` is Mira 1 in Mira. */
  subcommunities: readonly string[];
}

/** @param subcommunities separated by commas */
export function community(
  name: string,
  nameAr: string,
  lat: number,
  lng: number,
  subcommunities = '',
): KnownCommunity {
  return {
    name,
    nameAr,
    lat,
    lng,
    subcommunities: subcommunities
      .split(',')
      .map(of => of.trim())
      .filter(Boolean),
  };
}
