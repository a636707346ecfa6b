/** What a description repeats of its own page: the title as its first line, and the agent's contact lines. */
import type { Listing } from '../../listing.ts';
import { cleanText, sameWords } from './clean-text.ts';

/** Digits that make a phone number the agent's: the national number without country code and trunk 0. */
const nationalDigits = 8;

/** @param text cleaned lines. */
export function withoutRepeats(text: string, listing: Pick<Listing, 'title_en' | 'agent'>): string {
  const told = withoutTitle(text, cleanText(listing.title_en));
  return told
    .split('\n')
    .map(line => withoutContact(line, listing.agent))
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

/** Drops the sentences of a line that hold nothing but a way to reach the agent whose card stands beside the story. */
function withoutContact(line: string, agent: Listing['agent']): string {
  if (!repeatsAgent(line, agent)) return line;
  const kept = line.split(/(?<=[.!?؟])\s+/).filter(sentence => !repeatsAgent(sentence, agent));
  // A telephone symbol that led to the number goes with it.
  return kept.filter(sentence => /[\p{L}\p{N}]/u.test(sentence)).join(' ');
}

function repeatsAgent(text: string, agent: Listing['agent']): boolean {
  const email = cleanText(agent.email).toLowerCase();
  if (email !== '' && text.toLowerCase().includes(email)) return true;
  const phone = agent.phone.replace(/\D/g, '').slice(-nationalDigits);
  if (phone.length === nationalDigits && text.replace(/\D/g, '').includes(phone)) return true;
  const brn = agent.brn_number.replace(/\D/g, '');
  if (brn !== '' && new RegExp(String.raw`\bBRN\b\D{0,12}${brn}\b`, 'i').test(text)) return true;
  const name = sameWords(cleanText(agent.name));
  return name !== '' && sameWords(text.replace(/^.{0,24}?:/, '')) === name;
}
