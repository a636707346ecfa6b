/** Links and QR codes of a listing: phone, e-mail, map and listing page. */
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { LRUCache } from 'lru-cache';
import { create } from 'qrcode';
import type { Listing } from '../../listing.ts';
import { brokerLicenceOf, brokerLicencePrefix } from '../../vocabulary/emirates.ts';
import type { LinkView } from '../document-view.ts';
import { english, type Labels } from '../labels.ts';
import type { Coordinates } from './landmarks.ts';
import { cleanText, directed } from './text.ts';

const country = 'AE';
const emailAddress = /^[\w.%+'-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;

const latitudeLongitude = /^[([{]? ?(-?\d{1,3}(?:\.\d+)?) ?[,;|/ ] ?(-?\d{1,3}(?:\.\d+)?) ?[)\]}]?$/;

/** White modules around the code (ISO/IEC 18004). */
const quietZone = 4;

/** Drawing a code takes a quarter of the time of its page, and listings are printed repeatedly. */
const qrCache = new LRUCache<string, ReturnType<typeof drawQr>>({ max: 500, memoMethod: drawQr });

/** Reads the first number of the text; null when it is not a valid phone number. */
export function linkOfPhone(text: string): { call: LinkView; whatsapp: LinkView | null } | null {
  const first = cleanText(text).split(/[/;|,]/)[0] ?? '';
  const phone = parsePhoneNumberFromString(first, country);
  if (phone === undefined || !phone.isValid()) return null;
  // Emirati landlines and toll-free numbers have no WhatsApp; abroad, the number does not show its type.
  const hasWhatsapp = phone.country !== country || phone.nationalNumber.startsWith('5');
  return {
    call: { text: phone.formatInternational(), href: `tel:${phone.number}` },
    whatsapp: hasWhatsapp
      ? { text: `wa.me/${phone.number.slice(1)}`, href: `https://wa.me/${phone.number.slice(1)}` }
      : null,
  };
}

export function linkOfEmail(text: string): LinkView | null {
  const address = cleanText(text).replace(/^mailto:/i, '');
  return emailAddress.test(address) ? { text: address, href: `mailto:${address}` } : null;
}

/** null for an agent with neither name, phone nor e-mail. */
export function agentOf(
  { agent, city }: Pick<Listing, 'agent' | 'city'>,
  photo: string | null,
  labels: Labels = english,
  /** Width by height of a photo that is no portrait. */
  photoRatio = 0,
) {
  const name = cleanText(agent.name);
  const phone = linkOfPhone(agent.phone);
  const email = linkOfEmail(agent.email);
  if (name === '' && phone === null && email === null) return null;
  const number = cleanText(agent.brn_number).replace(brokerLicencePrefix, '');
  return {
    name: directed(name === '' ? labels.plain('listingAgent') : name),
    licence: number === '' || number === '0' ? '' : `${brokerLicenceOf({ city })} ${number}`,
    initials: initialsOf(name),
    photo,
    photoRatio,
    phone: phone?.call ?? null,
    whatsapp: phone?.whatsapp ?? null,
    email,
  };
}

const honorific = /^(?:dr|mr|mrs|ms|miss|eng|prof|sheikha?|د|م)\.?$/i;

/** "LH" for Dr. Layla Haddad; one letter in Arabic, which joins its letters. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s-]+/).filter(word => !honorific.test(word));
  const letters = words.flatMap(word => /\p{L}/u.exec(word)?.[0] ?? []);
  const [first, last] = [letters[0] ?? '', letters.at(-1) ?? ''];
  if (letters.length < 2 || /\p{Script=Arabic}/u.test(first)) return first.toUpperCase();
  return `${first}${last}`.toUpperCase();
}

/** null for text that is not a latitude and a longitude, and for 0, 0, which CRMs store for "not set". */
export function coordinatesOf(text: string): Coordinates | null {
  const match = latitudeLongitude.exec(cleanText(text));
  if (!match) return null;
  const [latitude, longitude] = [Number(match[1]), Number(match[2])];
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180 || (latitude === 0 && longitude === 0)) return null;
  return { latitude, longitude };
}

export function mapOf(text: string) {
  const place = coordinatesOf(text);
  if (place === null) return null;
  const { latitude, longitude } = place;
  const url = `https://www.google.com/maps/search/?api=1&query=${latitude},${longitude}`;
  return { url, qr: qrOf(url) };
}

/** null when the brand has no listing URL or the listing has no reference. */
export function listingUrlOf(
  { reference_number }: Pick<Listing, 'reference_number'>,
  { listingUrl }: { listingUrl?: string | undefined },
): string | null {
  const reference = cleanText(reference_number);
  if (listingUrl === undefined || reference === '') return null;
  return listingUrl.replaceAll('{reference}', encodeURIComponent(reference));
}

/** In characters; who types a longer address from paper? */
const maxTypedUrl = 48;

/** The address without its scheme; '' for a long one. */
export function typedUrl(url: string): string {
  const text = url.replace(/^https?:\/\/(?:www\.)?/, '');
  return text.length <= maxTypedUrl ? text : '';
}

/** The virtual tour and the video, with `text` to type in. */
export function mediaOf({ tour_url, video_url }: Pick<Listing, 'tour_url' | 'video_url'>) {
  const links = [
    { word: 'tour', url: tour_url },
    { word: 'video', url: video_url },
  ] as const;
  return links
    .filter(({ url }) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))
    .map(({ word, url }) => ({ word, url: new URL(url).href, text: typedUrl(url) }));
}

/** A QR code as one SVG path, which is sharp at any size. */
export const qrOf = (text: string) => qrCache.memo(text);

/** `viewBox` includes the quiet zone of four modules. */
function drawQr(text: string) {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const { size } = modules;
  let path = '';
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      if (!modules.get(row, column)) continue;
      const start = column;
      while (column + 1 < size && modules.get(row, column + 1)) column += 1;
      const run = column + 1 - start;
      path += `M${start} ${row}h${run}v1h-${run}z`;
    }
  }
  const side = size + 2 * quietZone;
  return { viewBox: `${-quietZone} ${-quietZone} ${side} ${side}`, path };
}
