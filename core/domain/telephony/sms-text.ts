/** The text of an SMS: how many parts it takes, and where its link goes. */
import { SegmentedMessage } from 'sms-segments-calculator';

export const linkPlaceholder = '{link}';

/** In 3GPP TS 23.038's 7-bit alphabet 160 characters, or 153 in each of several parts; otherwise 70, or 67. */
export function partsOf(text: string): { parts: number; encoding: 'GSM-7' | 'UCS-2' } {
  const message = new SegmentedMessage(text, 'auto');
  return { parts: message.segmentsCount, encoding: message.encodingName === 'GSM-7' ? 'GSM-7' : 'UCS-2' };
}

export const withLink = (text: string, shortUrl: string): string =>
  text.replaceAll(linkPlaceholder, () => shortUrl);
