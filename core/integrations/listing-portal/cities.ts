/** The cities that stand at the root of the listing portal's locations, in both languages. */
import { normalName } from './normalize-name.ts';

export interface City {
  name: string;
  nameAr: string;
}

/** The seven emirates, and Al Ain, which the portal keeps apart from Abu Dhabi. */
export const cities: readonly City[] = [
  { name: 'Dubai', nameAr: 'دبي' },
  { name: 'Abu Dhabi', nameAr: 'أبو ظبي' },
  { name: 'Sharjah', nameAr: 'الشارقة' },
  { name: 'Ajman', nameAr: 'عجمان' },
  { name: 'Ras Al Khaimah', nameAr: 'رأس الخيمة' },
  { name: 'Umm Al Quwain', nameAr: 'أم القيوين' },
  { name: 'Fujairah', nameAr: 'الفجيرة' },
  { name: 'Al Ain', nameAr: 'العين' },
];

/** Finds a city however it is written. */
export function cityNamed(name: string): City | undefined {
  const sought = normalName(name);
  return cities.find(city => normalName(city.name) === sought || normalName(city.nameAr) === sought);
}
