/** Contact data and hashtags in the words of a listing, which portals forbid: the page has the agent's card. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

const phone = /(?<![\d.,])(?:\+|00|0|971)[\d() .-]{7,20}\d/g;

const email = /[\w-]@[\w-]{1,63}\.[\w-]/;
const webAddress = /(?:https?:\/\/|\bwww\.|\bwa\.me\/)\S/i;
const handle = /(?<![\w.])@[\w.]{3}/;

export const hashtag = /(?<![\p{L}\p{N}&])#\p{L}[\p{L}\p{N}_]*/gu;

/** Valid phone numbers, as written. */
export const phonesIn = (text: string): string[] =>
  [...text.matchAll(phone)]
    .map(([number]) => number.trim())
    .filter(number => parsePhoneNumberFromString(number, 'AE')?.isValid() === true);

/** An e-mail address, a web address or the name of an account. */
export const hasAddress = (text: string): boolean => [email, webAddress, handle].some(pattern => pattern.test(text));
