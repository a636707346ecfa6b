/** Names of places: normal form, variants, cities. */
import { describe, expect, it } from 'vitest';
import {
  cities,
  findCity,
  isArabic,
  nameVariants,
  normalizeName,
  transliterate,
} from '../../../../../core/integrations/listing-portal/names.ts';

describe('the normal form of', () => {
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
  ])('%j is %j', (name, normal) => expect(normalizeName(name)).toBe(normal));

  it.each([
    ['hamza on alef', 'أبو ظبي', 'ابو ظبي'],
    ['hamza below alef', 'إمارة', 'اماره'],
    ['madda', 'آل مكتوم', 'ال مكتوم'],
    ['alef wasla', 'ٱلشارقة', 'الشارقه'],
    ['ta marbuta', 'الشارقة', 'الشارقه'],
    ['alef maksura', 'مرسى دبي', 'مرسي دبي'],
    ['vowel signs', 'دُبَيّ', 'دبي'],
    ['tatweel', 'دبـــي', 'دبي'],
    ['a standalone hamza', 'الخيماء', 'الخيما'],
    ['Arabic digits', 'برج ٢٣', 'برج 23'],
    ['Persian letters', 'دبی', 'دبي'],
    ['presentation forms', 'ﺩﺑﻲ', 'دبي'],
  ])('Arabic: %s', (_, name, normal) => {
    expect(normalizeName(name)).toBe(normal);
    expect(normalizeName(normal)).toBe(normal);
  });
});

describe('the name variants of a place', () => {
  it.each([
    ['Dubai', ['dubai']],
    ['Dubai Marina', ['dubai marina']],
    ['Jumeirah Village Circle', ['jumeirah village circle', 'jvc']],
    ['Jumeirah Village Circle (JVC)', ['jumeirah village circle jvc', 'jumeirah village circle', 'jvc']],
    ['Emaar Beachfront (Emaar)', ['emaar beachfront emaar', 'emaar beachfront', 'emaar']],
    ['قرية جميرا الدائرية', ['قريه جميرا الدايريه']],
    ['(JVC)', ['jvc']],
    ['Marina (East) Gate', ['marina east gate', 'meg']],
    ['Marina  ( East ) ', ['marina east', 'marina', 'east']],
    ['Al-Barsha South', ['al barsha south', 'abs']],
    ['', []],
  ])('%j: %j', (name, names) => expect(nameVariants(name)).toEqual(names));
});

it('detects text with Arabic letters', () =>
  expect([isArabic('دبي'), isArabic('Dubai'), isArabic('برج 1')]).toEqual([true, false, true]));

it.each([
  ['دبي مارينا', 'dby maryna'],
  ['شارع جميرا 2', 'shara jmyra 2'],
  ['پارك ڤيو', 'park vyw'],
  ['ځ x', ' x'],
  ['marina', 'marina'],
])('%j in Latin letters is %j', (normal, latin) => expect(transliterate(normal)).toBe(latin));

it('finds a city in any spelling, and nothing else', () => {
  for (const city of cities) expect([findCity(city.name), findCity(city.nameAr)]).toEqual([city, city]);
  expect(findCity(' abu-dhabi')?.name).toBe('Abu Dhabi');
  expect(findCity('ابوظبي')).toBeUndefined();
  expect(findCity('ابو ظبي')?.name).toBe('Abu Dhabi');
  expect(findCity('Dubai Marina')).toBeUndefined();
});
