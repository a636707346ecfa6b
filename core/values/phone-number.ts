/** Phone numbers: anything sensible in, E.164 out; numbers without a country are Emirati. */
import { type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js';

const homeCountry = 'AE';

/** @returns undefined when it is no phone number */
export function parsePhoneNumber(text: string): PhoneNumber | undefined {
  // `00971…` is how the number is dialled at home; the library knows the form only with a country that dials so.
  const phone = parsePhoneNumberFromString(text.trim().replace(/^00(?=[1-9])/, '+'), homeCountry);
  return phone?.isValid() ? phone : undefined;
}

/** Such as `+971501234567`; undefined when it is no phone number. */
export const toE164 = (text: string): string | undefined => parsePhoneNumber(text)?.number;

/** The form in which the Emirati registry and operators take a number, such as `0501234567`; undefined abroad. */
export function toEmiratiNational(e164: string): string | undefined {
  return e164.startsWith('+971') ? `0${e164.slice(4)}` : undefined;
}
