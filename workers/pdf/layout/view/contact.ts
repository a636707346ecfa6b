/** Phone numbers and e-mail addresses as live links; what is no number or address is shown without one. */
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import type { Listing } from '../../listing.ts';
import { type Labels, labelsOf } from '../labels.ts';
import type { AgentView, LinkView } from '../listing-view.ts';
import { cleanText } from './clean-text.ts';
import { directed } from './text-direction.ts';

const english = labelsOf('en');
const country = 'AE';
const emailAddress = /^[\w.%+'-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;

/** The first number of the text, E.164 in its links; null when it is no phone number. */
export function linkOfPhone(text: string): { call: LinkView; whatsapp: LinkView | null } | null {
  const first = cleanText(text).split(/\s*[/;|,]\s*/)[0] ?? '';
  const phone = parsePhoneNumberFromString(first, country);
  if (phone === undefined || !phone.isValid()) return null;
  // Emirati landlines and toll-free numbers have no WhatsApp; abroad the kind of number cannot be told.
  const mobile = phone.country !== country || phone.nationalNumber.startsWith('5');
  return {
    call: { text: phone.formatInternational(), href: `tel:${phone.number}` },
    whatsapp: mobile ? { text: 'WhatsApp', href: `https://wa.me/${phone.number.slice(1)}` } : null,
  };
}

export function linkOfEmail(text: string): LinkView | null {
  const address = cleanText(text).replace(/^mailto:/i, '');
  return emailAddress.test(address) ? { text: address, href: `mailto:${address}` } : null;
}

/** null: nothing to print. An agent without a name goes by the e-mail's or phone's own line only. */
export function agentOf(
  agent: Listing['agent'],
  photo: string | null,
  labels: Labels = english,
): AgentView | null {
  const name = cleanText(agent.name);
  const phone = linkOfPhone(agent.phone);
  const email = linkOfEmail(agent.email);
  if (name === '' && phone === null && email === null) return null;
  const brn = cleanText(agent.brn_number).replace(/^BRN\s*[:#]?\s*/i, '');
  return {
    name: directed(name === '' ? labels.plain('listingAgent') : name),
    licence: brn === '' || brn === '0' ? '' : `BRN ${brn}`,
    initials: initialsOf(name),
    photo,
    phone: phone?.call ?? null,
    whatsapp: phone?.whatsapp ?? null,
    email,
  };
}

/** "LH" for Layla Haddad; the first letter alone for scripts that join their letters. */
export function initialsOf(name: string): string {
  const letters = name.split(/[\s-]+/).flatMap(word => /\p{L}/u.exec(word)?.[0] ?? []);
  const [first, last] = [letters[0] ?? '', letters.at(-1) ?? ''];
  if (letters.length < 2 || /\p{Script=Arabic}/u.test(first)) return first.toUpperCase();
  return `${first}${last}`.toUpperCase();
}
