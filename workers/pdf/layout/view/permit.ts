/** The advertising permit: its number, and the QR code of its official record where a permit URL is configured. */
import type { PermitView } from '../listing-view.ts';
import { cleanText } from './clean-text.ts';
import { qrOf } from './qr.ts';

/** Dubai: 7116777484; Abu Dhabi: 20250000534239-1#202400236475. The emirates differ, so only the alphabet is checked. */
const permitNumber = /^\d[\d#/-]{2,59}$/;

export function permitOf(text: string, urlTemplate: string | undefined): PermitView | null {
  const number = cleanText(text);
  if (number === '' || number === '0') return null;
  if (urlTemplate === undefined || !permitNumber.test(number)) return { number, url: null, qr: null };
  const url = urlTemplate.replaceAll('{permit}', encodeURIComponent(number));
  return { number, url, qr: qrOf(url) };
}
