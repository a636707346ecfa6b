/** Names of places compare whoever wrote them. */
import { describe, expect, it } from 'vitest';
import { cityNamed } from '../../../../../core/integrations/listing-portal/cities.ts';
import {
  callNames,
  isArabic,
  normalName,
} from '../../../../../core/integrations/listing-portal/normalize-name.ts';

describe('a name in its normal spelling', () => {
  it.each([
    ['  Dubai   Marina ', 'dubai marina'],
    ['DUBAI MARINA', 'dubai marina'],
    ['Al-Barsha', 'al barsha'],
    ['Al Barsha, Dubai', 'al barsha dubai'],
    ["Za'abeel", 'zaabeel'],
    ['Za’abeel', 'zaabeel'],
    ['Café Résidences', 'cafe residences'],
    ['R&F Tower', 'r and f tower'],
    ['Jumeirah Village Circle (JVC)', 'jumeirah village circle jvc'],
    ['Ｍａｒｉｎａ', 'marina'],
    ['—', ''],
    ['', ''],
    ['100%_of', '100 of'],
  ])('%j is %j', (name, normal) => {
    expect(normalName(name)).toBe(normal);
  });

  it.each([
    ['hamza on alef', 'أبو ظبي', 'ابو ظبي'],
    ['hamza below alef', 'إمارة', 'اماره'],
    ['madda', 'آل مكتوم', 'ال مكتوم'],
    ['alef wasla', 'ٱلشارقة', 'الشارقه'],
    ['ta marbuta', 'الشارقة', 'الشارقه'],
    ['alef maksura', 'مرسى دبي', 'مرسي دبي'],
    ['vowel signs', 'دُبَيّ', 'دبي'],
    ['tatweel', 'دبـــي', 'دبي'],
    ['a hamza by itself', 'الخيماء', 'الخيما'],
    ['Arabic digits', 'برج ٢٣', 'برج 23'],
    ['Persian letters', 'دبی', 'دبي'],
    ['presentation forms', 'ﺩﺑﻲ', 'دبي'],
  ])('Arabic: %s', (_, name, normal) => {
    expect(normalName(name)).toBe(normal);
    expect(normalName(normal)).toBe(normal);
  });
});

describe('what a place may be called', () => {
  it.each([
    ['Dubai', ['dubai']],
    ['Dubai Marina', ['dubai marina']],
    ['Jumeirah Village Circle', ['jumeirah village circle', 'jvc']],
    ['Jumeirah Village Circle (JVC)', ['jumeirah village circle jvc', 'jumeirah village circle', 'jvc']],
    ['Emaar Beachfront (Emaar)', ['emaar beachfront emaar', 'emaar beachfront', 'emaar']],
    ['قرية جميرا الدائرية', ['قريه جميرا الدايريه']],
    ['', []],
  ])('%j: %j', (name, names) => {
    expect(callNames(name)).toEqual(names);
  });
});

it('a text with Arabic letters is Arabic', () => {
  expect([isArabic('دبي'), isArabic('Dubai'), isArabic('برج 1')]).toEqual([true, false, true]);
});

it('a city is known however it is written, and nothing else is a city', () => {
  expect(cityNamed(' abu-dhabi')?.name).toBe('Abu Dhabi');
  expect(cityNamed('ابوظبي')).toBeUndefined();
  expect(cityNamed('ابو ظبي')?.name).toBe('Abu Dhabi');
  expect(cityNamed('Dubai Marina')).toBeUndefined();
});
