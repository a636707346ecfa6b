/** The texts and formats of the report page in each of its languages. */
import type { PageLanguage } from '../../http/request-headers.ts';

const texts = {
  en: {
    title: 'clicks',
    leadsTo: 'leads to',
    daysShown: 'Days shown',
    from: 'From',
    to: 'To',
    timeZone: 'Time zone',
    show: 'Show',
    byDay: 'Clicks by day',
    clicks: 'Clicks',
    byPeople: 'by people',
    unique: 'Unique visitors',
    onceADay: 'counted once a day',
    scans: 'QR scans',
    included: 'included in clicks',
    previews: 'Link previews',
    inChats: 'in chats, not clicks',
    bots: 'Bots and prefetches',
    notClicks: 'not clicks',
    asTable: 'Show as a table',
    day: 'Day',
    share: 'Share',
    none: 'No clicks in these days.',
    unknown: 'Unknown',
    direct: 'Direct or unknown',
    notCounted: 'No click has been counted yet.',
    explanation:
      'Visitors are counted once a day, without storing addresses. Clicks of bots, link previews and prefetches are not counted.',
    tables: {
      links: ['Links', 'Link'],
      referrers: ['Referrers', 'Site'],
      countries: ['Countries', 'Country'],
      devices: ['Devices', 'Device'],
      browsers: ['Browsers', 'Browser'],
    },
    devices: { mobile: 'Phone', tablet: 'Tablet', desktop: 'Computer', tv: 'Television' },
    more: (count: number) => `${count} more`,
    counted: (time: string, zone: string) => `Last counted ${time} (${zone}).`,
    bar: (day: string, clicks: string, unique: string) => `${day}: ${clicks} clicks, ${unique} unique visitors`,
    noneIn: (days: number) => `No clicks in ${days} days.`,
    summary: (total: string, days: number, most: string, day: string) =>
      `${total} clicks in ${days} days; the most, ${most} on ${day}.`,
  },
  ar: {
    title: 'النقرات',
    leadsTo: 'يؤدي إلى',
    daysShown: 'الأيام المعروضة',
    from: 'من',
    to: 'إلى',
    timeZone: 'المنطقة الزمنية',
    show: 'عرض',
    byDay: 'النقرات حسب اليوم',
    clicks: 'النقرات',
    byPeople: 'من الأشخاص',
    unique: 'الزوار الفريدون',
    onceADay: 'يُحتسب الزائر مرة واحدة في اليوم',
    scans: 'مسح رمز QR',
    included: 'ضمن النقرات',
    previews: 'معاينات الرابط',
    inChats: 'في المحادثات، وليست نقرات',
    bots: 'الروبوتات والتحميل المسبق',
    notClicks: 'ليست نقرات',
    asTable: 'عرض كجدول',
    day: 'اليوم',
    share: 'النسبة',
    none: 'لا توجد نقرات في هذه الأيام.',
    unknown: 'غير معروف',
    direct: 'مباشر أو غير معروف',
    notCounted: 'لم تُحتسب أي نقرة بعد.',
    explanation:
      'يُحتسب كل زائر مرة واحدة في اليوم دون تخزين العناوين. لا تُحتسب نقرات الروبوتات ومعاينات الروابط والتحميل المسبق.',
    tables: {
      links: ['الروابط', 'الرابط'],
      referrers: ['مصادر الزيارات', 'الموقع'],
      countries: ['الدول', 'الدولة'],
      devices: ['الأجهزة', 'الجهاز'],
      browsers: ['المتصفحات', 'المتصفح'],
    },
    devices: { mobile: 'هاتف', tablet: 'جهاز لوحي', desktop: 'حاسوب', tv: 'تلفاز' },
    more: (count: number) => `${count} أخرى`,
    counted: (time: string, zone: string) => `آخر احتساب: ${time} (\u2066${zone}\u2069).`,
    bar: (day: string, clicks: string, unique: string) => `${day}: النقرات ${clicks}، الزوار الفريدون ${unique}`,
    noneIn: (days: number) => `لا توجد نقرات. عدد الأيام: ${days}.`,
    summary: (total: string, days: number, most: string, day: string) =>
      `عدد النقرات: ${total}. عدد الأيام: ${days}. أكثرها ${most}، ${day}.`,
  },
} as const;

/** Arabic pages have Latin digits, as brochures do. */
const locales = { en: ['en', 'en-GB'], ar: ['ar-AE-u-nu-latn', 'ar-AE-u-nu-latn'] } as const;

export function reportTexts(language: PageLanguage) {
  const [locale, dates] = locales[language];
  const date = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(dates, options);
  const numbers = new Intl.NumberFormat(locale);
  const shares = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const countries = new Intl.DisplayNames([locale], { type: 'region' });
  return {
    ...texts[language],
    number: (value: number) => numbers.format(value),
    percent: (value: number) => shares.format(value),
    country: (code: string) => countries.of(code) ?? code,
    shortDay: date({ timeZone: 'UTC', day: 'numeric', month: 'short' }),
    longDay: date({ timeZone: 'UTC', dateStyle: 'full' }),
    timeIn: (timeZone: string) => date({ timeZone, dateStyle: 'medium', timeStyle: 'medium' }),
  };
}

export type ReportTexts = ReturnType<typeof reportTexts>;
