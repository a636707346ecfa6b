/** Parses phone numbers to E.164; numbers without a country code are Emirati. */
import { type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js';

const homeCountry = 'AE';

/** @returns undefined when the text is no phone number */
export function parsePhoneNumber(text: string): PhoneNumber | undefined {
  // The library does not accept `00971…`, the number with the international prefix.
  const phone = parsePhoneNumberFromString(text.trim().replace(/^00(?=[1-9])/, '+'), homeCountry);
  return phone?.isValid() ? phone : undefined;
}

/** Such as `+971501234567`; undefined when the text is no phone number. */
export const toE164 = (text: string): string | undefined => parsePhoneNumber(text)?.number;

/** The national form, such as `0501234567`, for the Emirati registry and operators; undefined for other countries. */
export function toEmiratiNational(e164: string): string | undefined {
  return e164.startsWith('+971') ? `0${e164.slice(4)}` : undefined;
}
