/** Arabic names of places without a given one: known words are translated, the others transliterated. */

/** The kind of place comes first in Arabic: Pearl Tower is برج اللؤلؤة. */
// biome-ignore format: a list of words
const kinds: Record<string, string> = {
  tower: 'برج', towers: 'أبراج', residence: 'رزيدنس', residences: 'رزيدنس', building: 'مبنى', villas: 'فلل',
  heights: 'مرتفعات', court: 'كورت', house: 'بيت', gardens: 'حدائق', apartments: 'شقق', cluster: 'مجموعة',
  district: 'منطقة', island: 'جزيرة', village: 'قرية', area: 'منطقة', sector: 'قطاع', zone: 'منطقة',
  townhouses: 'تاون هاوس', lakes: 'بحيرات', hills: 'تلال', plaza: 'بلازا', terrace: 'تراس', community: 'مجتمع', mansion: 'قصر',
};
// biome-ignore format: a list of words
const words: Record<string, string> = {
  the: '', of: '', at: '', by: '', pearl: 'اللؤلؤة', marina: 'مارينا', palm: 'النخلة', golden: 'الذهبي', silver: 'الفضي',
  blue: 'الأزرق', green: 'الأخضر', sky: 'السماء', sea: 'البحر', bay: 'الخليج', sunset: 'الغروب', sunrise: 'الشروق',
  star: 'النجمة', moon: 'القمر', desert: 'الصحراء', oasis: 'الواحة', royal: 'الملكي', crystal: 'كريستال',
  park: 'بارك', lake: 'البحيرة', golf: 'جولف', garden: 'الحديقة', view: 'فيو', views: 'فيوز', beach: 'الشاطئ',
  north: 'الشمال', south: 'الجنوب', east: 'الشرق', west: 'الغرب', city: 'سيتي', old: 'القديمة', town: 'تاون', falcon: 'الصقر',
};
/** Digraphs precede single letters: sh is one sound. */
// biome-ignore format: a list of sounds
const sounds: readonly (readonly [string, string])[] = [
  ['sh', 'ش'], ['th', 'ث'], ['kh', 'خ'], ['gh', 'غ'], ['dh', 'ظ'], ['ch', 'تش'], ['ee', 'ي'], ['oo', 'و'], ['ou', 'و'], ['aa', 'ا'],
  ['ai', 'اي'], ['ay', 'اي'], ['a', 'ا'], ['b', 'ب'], ['c', 'ك'], ['d', 'د'], ['e', 'ي'], ['f', 'ف'], ['g', 'ج'], ['h', 'ه'],
  ['i', 'ي'], ['j', 'ج'], ['k', 'ك'], ['l', 'ل'], ['m', 'م'], ['n', 'ن'], ['o', 'و'], ['p', 'ب'], ['q', 'ق'], ['r', 'ر'],
  ['s', 'س'], ['t', 'ت'], ['u', 'و'], ['v', 'ف'], ['w', 'و'], ['x', 'كس'], ['y', 'ي'], ['z', 'ز'],
];

const transliterations = new Map<string, string>();

export function arabicName(name: string): string {
  const parts = name.toLowerCase().split(/[\s-]+/);
  const kind = parts.find(part => kinds[part] !== undefined && part !== parts[0]) ?? parts.find(part => kinds[part]);
  const others = parts.filter(part => part !== kind).map(arabicWord);
  return [kind ? kinds[kind] : '', ...others].filter(Boolean).join(' ').replace(/^ال /, 'ال').replace(/ ال /g, ' ال');
}

function arabicWord(word: string): string {
  const known = words[word];
  if (known !== undefined) return known;
  if (word === 'al') return 'ال';
  const cached = transliterations.get(word);
  if (cached !== undefined) return cached;
  // A doubled consonant is one letter in Arabic, a final e is silent.
  let rest = word.replace(/([^aeo\d])\1/g, '$1').replace(/(?<=\w\w)e$/, '');
  let arabic = '';
  while (rest !== '') {
    const sound = sounds.find(([latin]) => rest.startsWith(latin));
    arabic += sound ? sound[1] : rest[0];
    rest = rest.slice(sound ? sound[0].length : 1);
  }
  transliterations.set(word, arabic);
  return arabic;
}
