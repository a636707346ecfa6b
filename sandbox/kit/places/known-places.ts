/** Types of the hand-written part of the gazetteer: cities, communities, subcommunities. */

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
  /** `Mira > Mira 1`: Mira 1 is in Mira. */
  subcommunities: readonly string[];
}

/** @param subcommunities comma-separated */
export function community(
  name: string,
  nameAr: string,
  [lat, lng]: readonly [number, number],
  subcommunities = '',
): KnownCommunity {
  return {
    name,
    nameAr,
    lat,
    lng,
    subcommunities: subcommunities
      .split(',')
      .map(path => path.trim())
      .filter(Boolean),
  };
}
