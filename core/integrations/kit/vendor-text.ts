/** The texts of vendors' errors, made fit for reports, logs and callers. */

const maxLength = 300;

/** Removes HTML; at most 300 characters. */
export function plainText(html: string): string {
  const text = html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&quot;/g, '"')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** Also removes what may be secret or personal: addresses, e-mails, phone numbers and tokens. */
export const scrubbed = (text: string): string =>
  plainText(text)
    .replace(/\bhttps?:\/\/\S+/gi, '[address]')
    .replace(/[^\s"'<>(),;:@]{1,64}@[^\s"'<>(),;:@]{1,253}/g, '[e-mail]')
    .replace(/\+?\d(?:[ ().-]{0,2}\d){6,}/g, '[number]')
    .replace(/\w{20,}/g, word => (/\d/.test(word) ? '[token]' : word));
