/** Listings for benchmarks, as complete as real ones; each request differs, so that no result comes from the result cache. */
import { Listing } from '../../workers/pdf/listing.ts';

const description = `A corner apartment on a high floor, with the marina on one side and the sea on the other. The kitchen was opened to the living room last year.

Upstairs, the bedrooms each have a terrace; the main suite takes the whole width of the house. Floors are oak and travertine.

Key features:
- Two parking bays side by side
- Storage room on the same floor
- Gym and two pools for residents

Viewings by appointment, on any day of the week.`;

/**
 * @param origin origin of a host with the sandbox's photos
 * @param photos name of the set of photos; `photo-host.ts` serves different photos for each name
 */
export function listingsFor(request: string, count: number, origin: string, photos = ''): Listing[] {
  const photo = (name: string | number, index: number) =>
    `${origin}/photos/${String(name).padStart(2, '0')}.jpg${photos && `?v=${photos}-${index}`}`;
  return Array.from({ length: count }, (_, index) =>
    Listing.parse({
      reference_number: `${request}-${index}`,
      permit_number: '7116777484',
      permit_url:
        'https://trakheesi.dubailand.gov.ae/rev/madmoun/listing/validation?khevJujtDig=SAMPLE0123456789SAMPLE0123456789',
      permit_expires_at: '2099-12-31',
      title_en: `Two bedrooms over the marina, high floor, number ${index + 1}`,
      description_en: description,
      purpose: 'Sale',
      property_type: 'Apartment',
      price: String(2_450_000 + index),
      city: 'Dubai',
      community: 'Dubai Marina',
      tower_name: 'Aurora Tower',
      size: '1312',
      bedroom: '2',
      bathroom: '3',
      parking: '1',
      amenities: 'Balcony, Shared Pool, Shared Gym, View of Water, Concierge, Covered Parking',
      geopoints: '25.0805, 55.1403',
      agent: {
        name: 'Layla Haddad',
        email: 'layla@example.com',
        phone: '+971501234501',
        photo: photo('agent01', index),
      },
      photo: Array.from({ length: 9 }, (__, place) => photo(((index * 9 + place) % 24) + 1, index)),
    }),
  );
}
