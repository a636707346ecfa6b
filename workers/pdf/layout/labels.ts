/** The labels of the brochures in English and Arabic. The texts of listings are not translated. */
import type { PageLanguage } from '../contract.ts';

const words = {
  about: ['About this home', 'عن هذا المنزل'],
  aboutPlot: ['About this plot', 'عن هذه الأرض'],
  aboutSpace: ['About this space', 'عن هذا المقر'],
  amenities: ['Amenities', 'المرافق'],
  details: ['Details', 'التفاصيل'],
  more: ['more', 'أخرى'],
  // Badges
  forSale: ['For sale', 'للبيع'],
  forRent: ['For rent', 'للإيجار'],
  offPlan: ['Off-plan', 'على الخارطة'],
  holidayHome: ['Holiday home', 'بيت عطلات'],
  // Facts
  bedroom: ['Bedroom', 'غرفة نوم'],
  bedrooms: ['Bedrooms', 'غرف نوم'],
  bathroom: ['Bathroom', 'حمّام'],
  bathrooms: ['Bathrooms', 'حمّامات'],
  washroom: ['Washroom', 'دورة مياه'],
  washrooms: ['Washrooms', 'دورات مياه'],
  size: ['Size', 'المساحة'],
  plotSize: ['Plot size', 'مساحة الأرض'],
  parkingBay: ['Parking bay', 'موقف سيارة'],
  parkingBays: ['Parking bays', 'مواقف سيارات'],
  furnishing: ['Furnishing', 'التأثيث'],
  fitOut: ['Fit-out', 'التجهيز'],
  handover: ['Handover', 'التسليم'],
  paymentPlan: ['Payment plan', 'خطة الدفع'],
  guests: ['Guests', 'الضيوف'],
  minimumStay: ['Minimum stay', 'أدنى مدة إقامة'],
  zoning: ['Zoning', 'الاستخدام'],
  ownership: ['Ownership', 'الملكية'],
  // Details
  reference: ['Reference', 'الرقم المرجعي'],
  propertyType: ['Property type', 'نوع العقار'],
  completion: ['Completion', 'حالة الإنجاز'],
  condition: ['Condition', 'الحالة'],
  view: ['View', 'الإطلالة'],
  status: ['Status', 'الإشغال'],
  management: ['Management', 'الإدارة'],
  developer: ['Developer', 'المطوّر'],
  projectNumber: ['Project number', 'رقم المشروع'],
  escrowAccount: ['Escrow account', 'حساب الضمان'],
  serviceCharge: ['Service charge', 'رسوم الخدمة'],
  builtUpArea: ['Built-up area', 'المساحة المبنية'],
  floorArea: ['Gross floor area', 'المساحة الطابقية'],
  permittedHeight: ['Permitted height', 'الارتفاع المسموح'],
  floor: ['Floor', 'الطابق'],
  pantry: ['Pantry', 'مطبخ تحضيري'],
  available: ['Available', 'متاح'],
  deposit: ['Deposit', 'التأمين'],
  checkIn: ['Check-in', 'تسجيل الدخول'],
  checkOut: ['Check-out', 'تسجيل المغادرة'],
  tour: ['Virtual tour', 'جولة افتراضية'],
  video: ['Video', 'فيديو'],
  // Values
  studio: ['Studio', 'استوديو'],
  managedByUs: ['Managed by us', 'بإدارتنا'],
  property: ['Property', 'عقار'],
  // Price
  onApplication: ['Price on application', 'السعر عند الطلب'],
  aed: ['AED', 'درهم'],
  squareFoot: ['sq\u00A0ft', 'قدم²'],
  squareMetre: ['m²', 'م²'],
  // Contact, permit, links
  listingAgent: ['Listing agent', 'وكيل العقار'],
  permit: ['Permit', 'رقم التصريح'],
  holidayPermit: ['DTCM permit', 'تصريح بيوت العطلات'],
  draft: ['Draft', 'مسودة'],
  notForPublication: ['for a permit application, not for publication', 'لطلب تصريح وليست للنشر'],
  location: ['Location', 'الموقع'],
  map: ['Map', 'الخريطة'],
  scanForRecord: ['Scan to open the official record', 'امسح الرمز لفتح السجل الرسمي'],
  scanForMap: ['Scan or tap to open the map', 'امسح الرمز أو انقر لفتح الخريطة'],
  thisHomeOnline: ['This home online', 'العقار على موقعنا'],
  thisPlotOnline: ['This plot online', 'الأرض على موقعنا'],
  thisSpaceOnline: ['This space online', 'المقر على موقعنا'],
  moreOnline: ['More photographs online', 'صور أخرى على موقعنا'],
  page: ['Page', 'صفحة'],
  of: ['of', 'من'],
  photo: ['photo', 'صورة'],
  photographs: ['Photographs', 'الصور'],
  floorPlans: ['Floor plans', 'المخططات'],
  floorPlan: ['Floor plan', 'مخطط'],
  neighbourhood: ['The neighbourhood', 'المنطقة المحيطة'],
  community: ['Community', 'المنطقة'],
  mapOf: ['Map of', 'خريطة'],
  straightLine: ['Straight-line distances', 'المسافات بخط مستقيم'],
  kilometre: ['km', 'كم'],
  metre: ['m', 'م'],
  // Cover
  selection: ['A selection for you', 'مختارات لكم'],
  homes: ['homes', 'منازل'],
  properties: ['properties', 'عقارات'],
  contents: ['Contents', 'المحتويات'],
  preparedFor: ['Prepared for', 'أُعدّ خصيصًا لـ'],
} as const satisfies Record<string, readonly [english: string, arabic: string]>;

export type Word = keyof typeof words;

export interface Labels {
  language: PageLanguage;
  /** Direction and `lang` of the page. */
  dir: 'ltr' | 'rtl';
  lang: 'en' | 'ar';
  /** For labels: in both languages on bilingual pages, joined by `separator` (default ' · '). */
  label(word: Word, separator?: string): string;
  /** For values and words within a line: in the page's main language. */
  plain(word: Word): string;
  /** A value that has names in both languages: both on bilingual pages. */
  named(names: { english: string; arabic: string }): string;
  /** The labels of the page's main language alone. */
  main: Labels;
  /** Arabic on a bilingual page; null on others. */
  second: Labels | null;
  /** All labels, for the templates. */
  all: Readonly<Record<string, string>>;
}

/** Parts of sentences, which stay in one language. */
const inSentences: ReadonlySet<Word> = new Set(['page', 'of', 'more', 'moreOnline', 'floorPlan', 'mapOf']);

export const english = labelsIn('en');
const arabic = labelsIn('ar');
const languages = { en: english, ar: arabic, both: { ...labelsIn('both'), main: english, second: arabic } };

export const labelsOf = (language: PageLanguage): Labels => languages[language];

function labelsIn(language: PageLanguage): Labels {
  const plain = (word: Word) => words[word][language === 'ar' ? 1 : 0];
  const label = (word: Word, separator = ' · ') =>
    language === 'both' && !inSentences.has(word) ? words[word].join(separator) : plain(word);
  const names = Object.keys(words).filter((name): name is Word => name in words);
  const all = Object.fromEntries(names.map(name => [name, label(name)]));
  const [dir, lang] = language === 'ar' ? (['rtl', 'ar'] as const) : (['ltr', 'en'] as const);
  const named = (names: { english: string; arabic: string }) =>
    language === 'both' ? `${names.english} · ${names.arabic}` : language === 'ar' ? names.arabic : names.english;
  const labels = { language, dir, lang, label, plain, named, all, second: null };
  return {
    ...labels,
    get main() {
      return this;
    },
  };
}
