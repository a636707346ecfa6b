/** The amenities of a listing and their icons. */
import { LRUCache } from 'lru-cache';
import { amenityTerms } from '../../vocabulary/amenities.ts';
import { isCode, type Term } from '../../vocabulary/table.ts';
import type { Labels } from '../labels.ts';
import { cleanLines, comparable, shortened, withoutEnd } from './text.ts';

/** No page holds more; `fitText` counts those that do not fit ("+12 more"). */
const maxAmenities = 80;
const maxAmenityLength = 60;

const smallWords = new Set('a an and at by for in of on or the to with'.split(' '));

export interface Amenity {
  /** In title case, as written; the English name for a code or slug. */
  text: string;
  /** Absent for an amenity that the vocabulary does not have. */
  term: Term | undefined;
  /** A code or slug that the vocabulary does not have. */
  unknownCode: string | undefined;
}

/** Parses a comma-separated field: without duplicates. */
export function amenitiesOf(text: string): Amenity[] {
  const seen = new Map<string, Amenity>();
  for (const part of cleanLines(text).split(/[,،;\n|•]+/)) {
    const name = withoutEnd(part.replace(/^[\s\-–—*·✓✔✅]+/u, ''), /[\s.\-–—*]/);
    const amenity = amenityOf(name);
    const key = amenity.term?.slug ?? comparable(amenity.text);
    if (key !== '' && !seen.has(key)) seen.set(key, amenity);
  }
  return [...seen.values()].slice(0, maxAmenities);
}

function amenityOf(name: string): Amenity {
  const found = amenityTerms.find(name);
  const isNamed = found !== undefined && !found.isSpelling && (isCode(name) || name === found.term.slug);
  if (isNamed) return { text: found.term.english, term: found.term, unknownCode: undefined };
  const words = isCode(name) && name.includes('-') ? name.replaceAll('-', ' ') : name;
  const text = titleCase(shortened(words.replaceAll('_', ' '), maxAmenityLength));
  return { text, term: found?.term, unknownCode: found === undefined && isCode(name) ? name : undefined };
}

/** In the page's language where the vocabulary has it. */
export function amenityName({ text, term }: Amenity, { lang }: Pick<Labels, 'lang'>): string {
  if (term === undefined) return text;
  if (lang === 'ar') return term.arabic;
  return /\p{Script=Arabic}/u.test(text) ? term.english : text;
}

/** "central a/c" becomes "Central A/C"; "BBQ", "24/7" and "iPad" do not change. */
export function titleCase(text: string): string {
  const isUpperCase = text === text.toUpperCase() && /\p{L}{5}/u.test(text);
  const words = (isUpperCase ? text.toLowerCase() : text).split(' ');
  return words
    .map((word, at) => {
      if (word !== word.toLowerCase() || (at > 0 && smallWords.has(word))) return word;
      return word.replace(/(^|[-/(])(\p{Ll})/gu, (_, before: string, letter: string) => before + letter.toUpperCase());
    })
    .join(' ');
}

/** The first match counts: specific patterns come before general ones. */
const icons: readonly [RegExp, string][] = [
  [/\b(?:jacuzzi|hot tub|steam|sauna|hammam|spa)\b|جاكوزي|ساونا|حمام بخار/i, 'heater'],
  [/\bpools?\b|swimming|مسبح/i, 'waves-ladder'],
  [/\b(?:gym|fitness)\b|نادي رياضي|صالة رياضية|جيم/i, 'dumbbell'],
  [/\b(?:charg(?:er|ing)|ev)\b|شاحن/i, 'plug-zap'],
  [/\b(?:parking|garage|car ?port)\b|موقف|كراج/i, 'circle-parking'],
  [/\bbeach(?:es)?\b|شاطئ/i, 'umbrella'],
  [/\b(?:boat|marina berth|jetty|mooring)\b|مرسى/i, 'sailboat'],
  [/\bgolf\b|جولف/i, 'flag'],
  [/\bviews?\b|إطلالة/i, 'binoculars'],
  [/a\/?c\b|\bair[ -]?con|\b(?:cooling|chiller)\b|تكييف/i, 'snowflake'],
  [/\b(?:maid|nanny|staff|driver)|خادمة|سائق/i, 'bed-single'],
  [/\b(?:garden|landscap\w+|parks?|lawn|courtyard)\b|حديقة/i, 'trees'],
  [/\b(?:terrace|balcony|roof ?top|deck|patio)\b|شرفة|تراس/i, 'sun'],
  [/\b(?:closet|dressing)\b|غرفة ملابس/i, 'shirt'],
  [/\bwardrobes?\b|خزائن/i, 'door-closed'],
  [/\b(?:washing|laundry)\b|غسيل/i, 'washing-machine'],
  [/\b(?:kitchen|appliances|oven|pantry)\b|مطبخ/i, 'cooking-pot'],
  [/\b(?:study|office|library)\b|مكتب|مكتبة/i, 'lamp-desk'],
  [/\b(?:bbq|barbecue)\b|شواء/i, 'flame'],
  [/\b(?:security|guard|access control|24\/7)\b|حراسة|أمن/i, 'shield-check'],
  [/\bcctv\b|camera/i, 'cctv'],
  [/\b(?:concierge|reception|lobby|club)\b|استقبال|بهو|نادي/i, 'concierge-bell'],
  [/\b(?:pets?|dogs?)\b|حيوانات/i, 'paw-print'],
  [/\b(?:child|children|kids|play|cot)\b|children|أطفال/i, 'toy-brick'],
  [/\b(?:wi-?fi|internet|broadband)\b|واي فاي|إنترنت/i, 'wifi'],
  [/\b(?:cinema|theatre|theater)\b|سينما/i, 'clapperboard'],
  [/\btv\b|television|تلفاز/i, 'tv'],
  [/\b(?:smart|automation)\b|ذكي/i, 'house-wifi'],
  [/\b(?:conference|meeting|board ?room)\b|اجتماعات/i, 'presentation'],
  [/\b(?:lift|elevator)\b|مصعد/i, 'arrow-up-down'],
  [/\b(?:storage|store ?room)\b|مخزن/i, 'package'],
  [/\b(?:wine|cigar)\b/i, 'wine'],
  [/\b(?:generator|power)\b|مولد/i, 'zap'],
  [/\bsolar\b|شمسي/i, 'sun-dim'],
  [/\bwater treatment\b|\bosmosis\b/i, 'droplets'],
  [/\b(?:heating|fireplace)\b|تدفئة/i, 'thermometer-sun'],
  [/\b(?:prayer|mosque)\b|مصلى|مسجد/i, 'moon-star'],
  [/\b(?:majlis|lounge|living|furnished)\b|مجلس|مفروش/i, 'sofa'],
  [/\b(?:jogging|cycling|bicycle|bike)\b/i, 'bike'],
  [/\b(?:tennis|basketball|volleyball|padel|sports?|court)\b|ملعب/i, 'volleyball'],
  [/\b(?:restaurant|dining|cafe)\b|\bcafé|مطعم/i, 'utensils'],
];

const defaultIcon = 'check';

export const amenityIconNames: readonly string[] = [...new Set(icons.map(([, name]) => name)), defaultIcon];

/** Most listings take their amenities from the same lists. */
const iconCache = new LRUCache<string, string>({
  max: 2_000,
  memoMethod: amenity => icons.find(([pattern]) => pattern.test(amenity))?.[1] ?? defaultIcon,
});

export const amenityIcon = (amenity: string): string => iconCache.memo(amenity);
