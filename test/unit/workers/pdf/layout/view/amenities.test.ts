import { describe, expect, it } from 'vitest';
import { amenitiesOf, amenityIcon, titleCase } from '../../../../../../workers/pdf/layout/view/amenities.ts';

describe('amenities', () => {
  it('are trimmed, without duplicates, in title case', () => {
    const names = amenitiesOf(
      ' central a/c , Balcony,balcony ,, BBQ area, view of water,✅ 24/7 Security, - maids_room ',
    );
    expect(names.map(name => name.text)).toEqual([
      'Central A/C',
      'Balcony',
      'BBQ Area',
      'View of Water',
      '24/7 Security',
      "Maid's Room",
    ]);
  });

  it('are separated by Arabic commas too', () => {
    expect(amenitiesOf('مسبح خاص، حديقة').map(({ text }) => text)).toEqual(['مسبح خاص', 'حديقة']);
  });

  it.each([
    ['SHARED POOL', 'Shared Pool'],
    ['BBQ', 'BBQ'],
    ['walk-in closet', 'Walk-In Closet'],
    ["children's play area", "Children's Play Area"],
  ])('%s is changed to %s', (raw, expected) => {
    expect(titleCase(raw)).toBe(expected);
  });
});

describe('the icons of amenities', () => {
  it.each([
    ['Built in Wardrobes', 'Walk-in Closet'],
    ['Private Pool', 'Jacuzzi'],
  ])('%s and %s differ', (one, other) => {
    expect(amenityIcon(one)).not.toBe(amenityIcon(other));
  });

  it.each([
    ['heater', 'Jacuzzi|Hot Tub|Steam Room|Sauna|Hammam|Spa|جاكوزي|ساونا|حمام بخار'],
    ['waves-ladder', 'Pool|Shared Pools|Swimming Lake|مسبح'],
    ['dumbbell', 'Gym|Fitness Centre|نادي رياضي|صالة رياضية|جيم'],
    ['plug-zap', 'EV Charger|Charging Station|EV|شاحن'],
    ['circle-parking', 'Parking|Private Garage|Car Port|Carport|موقف|كراج'],
    ['umbrella', 'Beach|Private Beaches|شاطئ'],
    ['sailboat', 'Boat Dock|Marina Berth|Jetty|Mooring|مرسى'],
    ['flag', 'Golf|جولف'],
    ['binoculars', 'View|Sea Views|إطلالة'],
    ['snowflake', 'A/C|Central AC|Air Conditioning|Air-Con|Aircon|Cooling|Chiller|تكييف'],
    ['bed-single', 'Maid|Nanny|Staff|Driver|خادمة|سائق'],
    ['trees', 'Garden|Landscaped|Park|Parks|Lawn|Courtyard|حديقة'],
    ['sun', 'Terrace|Balcony|Rooftop|Roof Top|Deck|Patio|شرفة|تراس'],
    ['shirt', 'Closet|Dressing|غرفة ملابس'],
    ['door-closed', 'Wardrobe|Wardrobes|خزائن'],
    ['washing-machine', 'Washing|Laundry|غسيل'],
    ['cooking-pot', 'Kitchen|Appliances|Oven|Pantry|مطبخ'],
    ['lamp-desk', 'Study|Office|Library|مكتب|مكتبة'],
    ['flame', 'BBQ|Barbecue|شواء'],
    ['shield-check', 'Security|Guard|Access Control|24/7|حراسة|أمن'],
    ['cctv', 'CCTV|Camera'],
    ['concierge-bell', 'Concierge|Reception|Lobby|Club|استقبال|بهو|نادي'],
    ['paw-print', 'Pet|Pets|Dog|Dogs|حيوانات'],
    ['toy-brick', 'Child|Children|Kids|Play|Cot|أطفال'],
    ['wifi', 'Wifi|Wi-Fi|Internet|Broadband|واي فاي|إنترنت'],
    ['clapperboard', 'Cinema|Theatre|Theater|سينما'],
    ['tv', 'TV|Television|تلفاز'],
    ['house-wifi', 'Smart|Automation|ذكي'],
    ['presentation', 'Conference|Meeting|Boardroom|Board Room|اجتماعات'],
    ['arrow-up-down', 'Lift|Elevator|مصعد'],
    ['package', 'Storage|Storeroom|Store Room|مخزن'],
    ['wine', 'Wine|Cigar'],
    ['zap', 'Generator|Power|مولد'],
    ['sun-dim', 'Solar|شمسي'],
    ['droplets', 'Water Treatment|Reverse Osmosis'],
    ['thermometer-sun', 'Heating|Fireplace|تدفئة'],
    ['moon-star', 'Prayer|Mosque|مصلى|مسجد'],
    ['sofa', 'Majlis|Lounge|Living|Furnished|مجلس|مفروش'],
    ['bike', 'Jogging|Cycling|Bicycle|Bike'],
    ['volleyball', 'Tennis|Basketball|Volleyball|Padel|Sport|Sports|Court|ملعب'],
    ['utensils', 'Restaurant|Dining|Cafe|Café|مطعم'],
    // Words that only contain or begin with such a word.
    [
      'check',
      'Spacious Hall|Whirlpools|Carpool|Gymkhana|Every Day|Golfers|Review|Hair Conditioner|Petrol|Deckchair|Studying|Clubbing',
    ],
    [
      'check',
      'Sparks|Clawned|Gardenia|Coplay|Uplift|Lifted|Smartly|Bikers|Kidskin|Toddlers|Overpower|Powerful|Maximum|Wines|Courtesy',
    ],
  ])('are %s for %s', (icon, names) => {
    for (const name of names.split('|')) expect(amenityIcon(name), name).toBe(icon);
  });
});

describe('amenitiesOf', () => {
  it.each([
    ['Pool;Gym|Spa•Sauna\nLift', ['Pool', 'Gym', 'Spa', 'Sauna', 'Lift']],
    ['✓ Pool, ✔Gym, * Spa *, Sauna --, Lift...', ['Pool', 'Gym', 'Spa', 'Sauna', 'Lift']],
    ['A.B, St. Regis', ['A.B', 'St. Regis']],
    ['–, ..., •, ', []],
  ])('returns for %j the names %j', (text, names) => {
    expect(amenitiesOf(text).map(name => name.text)).toEqual(names);
  });

  it('returns at most 80 names of at most 60 characters', () => {
    const names = amenitiesOf(Array.from({ length: 90 }, (_, at) => `Number ${at}`).join());
    expect(names).toHaveLength(80);
    expect(amenitiesOf('X'.repeat(60))[0]?.text).toHaveLength(60);
    expect(amenitiesOf(`${'X'.repeat(58)} ${'Y'.repeat(9)}`)[0]?.text).toBe(`X${'x'.repeat(57)}…`);
  });

  it.each([
    ['the pool by the sea', 'The Pool by the Sea'],
    ['of marble', 'Of Marble'],
    ['iPad dock', 'iPad Dock'],
    ['SHARED POOL AND SPA', 'Shared Pool and Spa'],
    ['GYM SPA', 'GYM SPA'],
    ['maid/driver (staff)', 'Maid/Driver (Staff)'],
  ])('titleCase changes "%s" to "%s"', (raw, expected) => {
    expect(titleCase(raw)).toBe(expected);
  });
});
