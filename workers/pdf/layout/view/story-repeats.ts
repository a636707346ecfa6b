/** What a description repeats of its own page: the title as its first line, and the agent's contact lines. */
import type { Listing } from '../../listing.ts';
import { cleanText, sameWords } from './clean-text.ts';

/** Digits that make a phone number the agent's: the national number without country code and trunk 0. */
const nationalDigits = 8;

/** @param text cleaned lines. */
export function withoutRepeats(text: string, listing: Pick<Listing, 'title_en' | 'agent'>): string {
  const repeats = repeatsOf(listing.agent);
  return withoutTitle(text, cleanText(listing.title_en))
    .split('\n')
    .map(line => withoutContact(line, repeats))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Drops the title where it is the first line, or the first sentence of it. */
function withoutTitle(text: string, title: string): string {
  const end = text.indexOf('\n');
  const first = end === -1 ? text : text.slice(0, end);
  if (sameWords(first) === sameWords(title)) return end === -1 ? '' : text.slice(end + 1).trim();
  if (title.length > 0 && first.toLowerCase().startsWith(title.toLowerCase())) {
    const rest = /^\s*[.!|:–—-]+\s+(?=\S)/.exec(first.slice(title.length));
    if (rest !== null) return text.slice(title.length + rest[0].length);
  }
  return text;
}

type Repeats = (text: string) => boolean;

/** Drops the sentences of a line that hold nothing but a way to reach the agent whose card stands beside the story. */
function withoutContact(line: string, repeats: Repeats): string {
  if (!repeats(line)) return line;
  const kept = line.split(/(?<=[.!?؟])\s+/).filter(sentence => !repeats(sentence));
  // A telephone symbol that led to the number goes with it.
  return kept.filter(sentence => /[\p{L}\p{N}]/u.test(sentence)).join(' ');
}

/** Tells text that names the agent's e-mail, phone or BRN, or nothing but the agent. */
function repeatsOf(agent: Listing['agent']): Repeats {
  const email = cleanText(agent.email).toLowerCase();
  const phone = agent.phone.replace(/\D/g, '').slice(-nationalDigits);
  const brn = agent.brn_number.replace(/\D/g, '');
  const brnLine = new RegExp(String.raw`\bBRN\b\D{0,12}${brn}\b`, 'i');
  const name = sameWords(cleanText(agent.name));
  return text =>
    (email !== '' && text.toLowerCase().includes(email)) ||
    (phone.length === nationalDigits && text.replace(/\D/g, '').includes(phone)) ||
    (brn !== '' && brnLine.test(text)) ||
    (name !== '' && sameWords(text.replace(/^.{0,24}?:/, '')) === name);
}
