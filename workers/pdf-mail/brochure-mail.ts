/** The texts of a mail with a brochure, in the language and brand of the brochure. */
import sharp from 'sharp';
import { type BrandsConfig, findBrands } from '../../core/domain/brands/brands.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { MailOrder } from '../pdf/contract.ts';
import { loadBrand, viewOfBrand } from '../pdf/layout/brand.ts';
import { defaultBrandFile } from '../pdf/layout/design-assets.ts';
import { labelsOf } from '../pdf/layout/labels.ts';
import { linkOfEmail } from '../pdf/layout/view/links.ts';
import { listingIn } from '../pdf/layout/view/page-texts.ts';
import { cleanText, directed, shortened } from '../pdf/layout/view/text.ts';
import type { Listing } from '../pdf/listing.ts';
import { commonAgent, listingLine, listingText } from './listing-text.ts';

const texts = {
  en: {
    dir: 'ltr',
    open: 'Open the brochure',
    download: 'Download the files',
    until: (day: string) => `The link works until ${day}.`,
    attached: (size: string) => `The file is attached, too (${size}).`,
    optOut: 'Stop such mails',
    call: 'Call',
    listings: (count: number) => `${count} properties`,
    more: (count: number) => `and ${count} more`,
  },
  ar: {
    dir: 'rtl',
    open: 'افتح الكتيّب',
    download: 'نزّل الملفات',
    until: (day: string) => `يعمل الرابط حتى ${day}.`,
    attached: (size: string) => `الملف مرفق أيضًا (\u2066${size}\u2069).`,
    optOut: 'إيقاف هذه الرسائل',
    call: 'اتصل',
    // Arabic has a dual, uses the plural for 3 to 10, and the singular from 11.
    listings: (count: number) => (count === 2 ? 'عقاران' : count <= 10 ? `${count} عقارات` : `${count} عقارًا`),
    more: (count: number) => `و${count} أخرى`,
  },
} as const;

const locales = { en: 'en-GB', ar: 'ar-AE-u-nu-latn' };
const maxItems = 6;
const maxTitleLength = 120;
/** Twice its width in the mail, for dense screens. */
const logoPx = 72;

const titleOf = (listing: Listing): string =>
  shortened(cleanText(listing.title_en) || cleanText(listing.reference_number), maxTitleLength);

/** @throws ServiceError invalid-input when the brand no longer exists */
export async function openMailBrand({ brand, language }: Pick<MailOrder, 'brand' | 'language'>, config: BrandsConfig) {
  const file = brand === undefined ? defaultBrandFile : (await findBrands(config)).get(brand);
  if (!file) throw new ServiceError('invalid-input', `There is no brand "${brand}".`);
  const loaded = await loadBrand(file);
  const view = viewOfBrand(loaded, labelsOf(language));
  const logo = await sharp(Buffer.from(view.whiteMark)).resize(logoPx, logoPx, { fit: 'inside' }).png().toBuffer();
  return { ...view, colours: loaded.brand.colours, tidy: loaded.brand.tidy, logo };
}

export interface MailContent {
  order: Pick<MailOrder, 'layout' | 'language' | 'expiresAt'> & { file: Pick<MailOrder['file'], 'contentType'> };
  brand: Awaited<ReturnType<typeof openMailBrand>>;
  listings: readonly Listing[];
  subject: string | undefined;
  message: string | undefined;
  /** The address of the brochure. */
  url: string;
}

/** What the browser, the mail server and the recipient decide. */
interface MailVariant {
  hasPicture: boolean;
  attachedBytes: number | undefined;
  /** The address that stops marketing mails. */
  optOutUrl: string | undefined;
}

export function brochureMail({ order, brand, listings, subject, message = '', url }: MailContent) {
  const { language, file, expiresAt } = order;
  const [lead, ...others] = language === 'both' ? (['en', 'ar'] as const) : ([language] as const);
  const [first, second] = listings;
  const single = first && !second ? listingText(first, language) : {};
  const title = first && !second ? titleOf(listingIn(language, first)) : texts[lead].listings(listings.length);
  const isCard = order.layout === 'card';
  const verb = file.contentType === 'application/pdf' ? 'open' : 'download';
  const { logo: _, ...shown } = brand;
  const view = {
    brand: shown,
    lang: lead,
    dir: texts[lead].dir,
    start: lead === 'ar' ? 'right' : 'left',
    subject: subject || `${title} – ${brand.name}`,
    preview: shortened((message || title).replace(/\s+/g, ' '), maxTitleLength),
    title: directed(title),
    ...single,
    items: second ? listings.slice(0, maxItems).map(listing => itemOf(listing, language)) : [],
    agent: commonAgent(listings, language),
    call: [lead, ...others].map(each => texts[each].call).join(' · '),
    /** A page beside the text, an image for sharing above it. */
    pictureShare: isCard ? '100%' : '46%',
    more: listings.length > maxItems ? texts[lead].more(listings.length - maxItems) : '',
    message: message.split(/\r?\n\s*\n/).flatMap(paragraph => {
      const { dir } = directed(paragraph);
      return paragraph.trim() === '' ? [] : [{ dir, isRtl: dir === 'rtl', lines: paragraph.trim().split(/\r?\n/) }];
    }),
    open: [lead, ...others].map(each => texts[each][verb]).join(' · '),
    url,
  };
  return ({ hasPicture, attachedBytes, optOutUrl: href }: MailVariant) => ({
    ...view,
    hasPicture,
    textShare: hasPicture && !isCard ? '54%' : '100%',
    optOut: href && { href, text: [lead, ...others].map(each => texts[each].optOut).join(' · ') },
    pictureWidth: isCard ? 544 : 232,
    notes: [lead, ...others].map(each => {
      const day = new Intl.DateTimeFormat(locales[each], { dateStyle: 'long', timeZone: 'Asia/Dubai' });
      const until = texts[each].until(day.format(new Date(expiresAt)));
      const attached = attachedBytes === undefined ? [] : [texts[each].attached(sizeOf(attachedBytes))];
      return { dir: texts[each].dir, text: [until, ...attached].join(' ') };
    }),
  });
}

const itemOf = (listing: Listing, language: MailOrder['language']) => ({
  ...directed(titleOf(listingIn(language, listing))),
  details: listingLine(listing, language),
});

/** "0.4 MB", which is not broken at the end of a line. */
const sizeOf = (bytes: number): string => `${Math.max(0.1, bytes / 1_000_000).toFixed(1)}\u00a0MB`;

/** Replies go to the agent, or to the brand when the listings have several agents or none. */
export function replyTo(listings: readonly Listing[], brand: { email: { text: string } }): string {
  const agents = new Set(listings.map(({ agent }) => linkOfEmail(agent.email)?.text ?? ''));
  return (agents.size === 1 && [...agents].join()) || brand.email.text;
}
