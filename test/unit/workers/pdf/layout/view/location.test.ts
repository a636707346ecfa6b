import { describe, expect, it } from 'vitest';
import { labelsOf } from '../../../../../../workers/pdf/layout/labels.ts';
import { distanceKm, nearestLandmarks } from '../../../../../../workers/pdf/layout/view/landmarks.ts';
import { locationRowsOf, MapConfig, mapUrlOf } from '../../../../../../workers/pdf/layout/view/location.ts';
import { Listing } from '../../../../../../workers/pdf/listing.ts';

const listingAt = (geopoints: string, community = '') =>
  Listing.parse({ reference_number: 'R-1', title_en: 'Home', geopoints, community });

describe('the distance to landmarks', () => {
  it('is measured along the great circle', () => {
    const burjKhalifa = { latitude: 25.1972, longitude: 55.2744 };
    expect(distanceKm(burjKhalifa, burjKhalifa)).toBe(0);
    // Dubai to Abu Dhabi's Grand Mosque.
    expect(distanceKm(burjKhalifa, { latitude: 24.4128, longitude: 54.475 })).toBeCloseTo(118.9, 0);
  });

  it.each([
    ['Dubai Marina', { latitude: 25.0805, longitude: 55.1403 }, 'Dubai Marina Mall'],
    ['Yas Island', { latitude: 24.49, longitude: 54.607 }, 'Yas Mall'],
    ['Al Hamra, Ras Al Khaimah', { latitude: 25.69, longitude: 55.78 }, 'Al Hamra Mall'],
  ])('starts with the nearest one in %s', (_, place, name) => {
    const [first, ...others] = nearestLandmarks(place);
    expect(first?.name[0]).toBe(name);
    expect(others.map(({ km }) => km)).toEqual(others.map(({ km }) => km).sort((a, b) => a - b));
    expect(others.length).toBeLessThanOrEqual(3);
  });

  it('names none far away from all of them', () => {
    expect(nearestLandmarks({ latitude: 48.2, longitude: 16.4 })).toEqual([]);
    expect(locationRowsOf(listingAt('48.2, 16.4', 'Vienna'), labelsOf('en'))).toEqual([]);
  });

  it('is printed with the community, in the language of the page', () => {
    const listing = listingAt('25.1190,55.1310', 'Palm Jumeirah');
    const texts = (language: 'en' | 'ar') =>
      locationRowsOf(listing, labelsOf(language)).map(({ label, value }) => [label, value.text]);
    expect(texts('en').slice(0, 2)).toEqual([
      ['Community', 'Palm Jumeirah'],
      ['Atlantis, The Palm', '1.9\u2009km'],
    ]);
    expect(texts('ar')[1]).toEqual(['أتلانتس النخلة', '1.9\u2009كم']);
  });

  it('is in metres below a kilometre', () => {
    const rows = locationRowsOf(listingAt('25.1972,55.2700'), labelsOf('en'));
    expect(rows[0]).toMatchObject({ label: 'Burj Khalifa', value: { text: '450\u2009m' } });
  });

  it('is not printed without coordinates', () => {
    expect(locationRowsOf(listingAt('', 'Palm Jumeirah'), labelsOf('en'))).toEqual([]);
  });
});

describe('the address of a map', () => {
  const MAP_URL = 'https://maps.example/static?center={lat},{lon}&z={zoom}&size={w}x{h}&key=secret';

  it('has position, zoom and pixels of the slot', () => {
    expect(mapUrlOf({ MAP_URL }, listingAt('25.1190,55.1310'))).toBe(
      'https://maps.example/static?center=25.119,55.131&z=14&size=434x213&key=secret',
    );
  });

  it.each([
    ['a provider', {}, '25.1190,55.1310'],
    ['coordinates', { MAP_URL }, ''],
  ])('is null without %s', (_, config, geopoints) => {
    expect(mapUrlOf(config, listingAt(geopoints))).toBeNull();
  });

  it.each([
    ['https://maps.example/static?size={w}x{h}', 'must contain {lat} and {lon}'],
    ['file:///map/{lat}/{lon}', 'must be an http or https URL'],
  ])('as %s is refused at the start', (url, message) => {
    const { error } = MapConfig.safeParse({ MAP_URL: url });
    expect(error?.issues.map(issue => issue.message)).toEqual([message]);
  });
});
