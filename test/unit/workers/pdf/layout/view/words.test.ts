import { describe, expect, it } from 'vitest';
import { amenitiesOf, titleCase } from '../../../../../../workers/pdf/layout/view/amenities.ts';
import { badgeOf } from '../../../../../../workers/pdf/layout/view/badge.ts';
import { cleanLines, cleanText } from '../../../../../../workers/pdf/layout/view/clean-text.ts';
import { isFlagged, numberOf } from '../../../../../../workers/pdf/layout/view/number-text.ts';
import { placeOf } from '../../../../../../workers/pdf/layout/view/place.ts';
import { directed } from '../../../../../../workers/pdf/layout/view/text-direction.ts';
import { completionOf } from '../../../../../../workers/pdf/layout/view/vocabulary.ts';

describe('text from a CRM', () => {
  it.each([
    ['Sea &amp; sky', 'Sea & sky'],
    ['5&nbsp;rooms &#8211; &#x2013;', '5 rooms – –'],
    ['&unknown; &#0; &#xD800;', '&unknown; &#0; &#xD800;'],
    ['<b>Bold</b> <span style="x">plain</span>', 'Bold plain'],
    ['a < b and c > d', 'a < b and c > d'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['&lt;b&gt;', '<b>'],
    ['\u202Eevil\u202C \u2067x\u2069', 'evil x'],
    ['a\u0000b\u0007c\u200Bd\uFEFF', 'abcd'],
    ['tab\there  twice', 'tab here twice'],
    ['𝗣𝗿𝗶𝘃𝗮𝘁𝗲 𝑝𝑜𝑜𝑙', 'Private pool'],
    ['👩‍👧 stays joined', '👩‍👧 stays joined'],
    ['lone \uD83D half', 'lone half'],
  ])('%j becomes %j', (raw, expected) => {
    expect(cleanText(raw)).toBe(expected);
  });

  it('breaks lines where its markup did', () => {
    expect(cleanLines('One<br/>two</p><p class="x">three<ul><li>four</li></ul>\r\n\r\n\r\n\r\nfive')).toBe(
      'One\ntwo\n\nthree\n\n• four\n\nfive',
    );
  });
});

describe('a number in a text', () => {
  it.each([
    ['1250000', 1_250_000],
    ['1,250,000', 1_250_000],
    ['1250000.00', 1_250_000],
    [' 3 ', 3],
    ['0', 0],
    ['', null],
    ['Studio', null],
    ['7+', null],
    ['1,25,000', null],
    ['1e9', null],
    ['-5', null],
    ['12345678901234567890', null],
    ['NaN', null],
  ])('"%s" is %s', (text, expected) => {
    expect(numberOf(text)).toBe(expected);
  });

  it.each([
    ['yes', true],
    ['Y', true],
    ['1', true],
    ['TRUE', true],
    ['no', false],
    ['0', false],
    ['false', false],
    ['', false],
    ['perhaps', false],
  ])('flag "%s" is %s', (text, expected) => {
    expect(isFlagged(text)).toBe(expected);
  });
});

describe('the badge', () => {
  it.each([
    ['Sale', 'Ready', 'For sale'],
    ['For Sale', '', 'For sale'],
    ['sale', 'off_plan', 'Off-plan'],
    ['Sale', 'Off-Plan', 'Off-plan'],
    ['', 'off_plan_primary', 'Off-plan'],
    ['Rent', 'off_plan', 'For rent'],
    ['RENT', 'completed', 'For rent'],
    ['Short stay', '', 'Short stay'],
    ['', 'completed', undefined],
  ])('of purpose "%s" and completion "%s" is %s', (purpose, completion_status, expected) => {
    expect(badgeOf({ purpose, completion_status })?.label).toBe(expected);
  });

  it.each([
    ['completed', 'Ready'],
    ['completed_primary', 'Ready'],
    ['Ready', 'Ready'],
    ['off_plan_primary', 'Off-plan'],
    ['HANDED_OVER_SOON', 'Handed over soon'],
    ['Q4 2027', 'Q4 2027'],
    ['', ''],
  ])('completion "%s" is said "%s"', (text, expected) => {
    expect(completionOf(text)).toBe(expected);
  });
});

describe('the place', () => {
  const nowhere = { tower_name: '', property_name: '', sub_community: '', community: '', city: '' };

  it.each<[Partial<typeof nowhere>, string]>([
    [{}, ''],
    [{ city: 'Dubai' }, 'Dubai'],
    [{ tower_name: 'Aurora Tower', property_name: 'aurora tower', city: 'Dubai' }, 'aurora tower, Dubai'],
    [
      { property_name: 'Saheel Villas', sub_community: 'Saheel', community: 'Arabian Ranches' },
      'Saheel Villas, Arabian Ranches',
    ],
    [{ tower_name: 'Heights', property_name: 'Heights Tower 1', city: 'Dubai' }, 'Heights Tower 1, Dubai'],
    [{ community: 'Dubai Marina', city: 'Dubai' }, 'Dubai Marina, Dubai'],
    [{ community: 'Sharjah', city: 'sharjah' }, 'Sharjah'],
  ])('of %j is "%s"', (fields, expected) => {
    expect(
      placeOf({ ...nowhere, ...fields })
        .map(name => name.text)
        .join(', '),
    ).toBe(expected);
  });
});

describe('amenities', () => {
  it('come trimmed, each once, in title case', () => {
    const names = amenitiesOf(
      ' central a/c , Balcony,balcony ,, BBQ area, view of water,✅ 24/7 Security, - maids_room ',
    );
    expect(names.map(name => name.text)).toEqual([
      'Central A/C',
      'Balcony',
      'BBQ Area',
      'View of Water',
      '24/7 Security',
      'Maids Room',
    ]);
  });

  it('may be Arabic, with its own comma', () => {
    expect(amenitiesOf('مسبح خاص، حديقة')).toEqual([
      { text: 'مسبح خاص', dir: 'rtl', lang: 'ar' },
      { text: 'حديقة', dir: 'rtl', lang: 'ar' },
    ]);
  });

  it.each([
    ['SHARED POOL', 'Shared Pool'],
    ['BBQ', 'BBQ'],
    ['walk-in closet', 'Walk-In Closet'],
    ["children's play area", "Children's Play Area"],
  ])('%s is written %s', (raw, expected) => {
    expect(titleCase(raw)).toBe(expected);
  });
});

describe('the direction of a text', () => {
  it.each([
    ['Villa', 'ltr', 'en'],
    ['فيلا Miele', 'rtl', 'ar'],
    ['🏡 123 فيلا', 'rtl', 'ar'],
    ['Miele في', 'ltr', 'en'],
    ['שלום', 'rtl', 'en'],
    ['1,250', 'ltr', 'en'],
    ['', 'ltr', 'en'],
  ])('%j runs %s and is %s', (text, dir, lang) => {
    expect(directed(text)).toEqual({ text, dir, lang });
  });
});
