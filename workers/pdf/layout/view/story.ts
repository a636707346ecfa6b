/** The description as paragraphs, headings and lists, without what the page shows elsewhere. */
import type { Listing } from '../../listing.ts';
import type { StoryBlock, TextView } from '../document-view.ts';
import type { Word } from '../labels.ts';
import { cleanLines, cleanText, comparable, directed } from './text.ts';

/** In characters; two pages hold about 5,500 at the smallest font size. */
const maxStoryLength = 7_500;
/** Before cleaning, with tags and empty lines. */
export const maxRawLength = 4 * maxStoryLength;
const maxHeadingLength = 60;

/** Phone numbers are compared without country code and trunk 0. */
const nationalDigits = 8;

// A dash, dot, symbol or emoji before a text.
const dash = '[-–—*•·‣⁃∙◦▪▫■□●○◆◇►▶▸➤➢➔➜→»❖✦✧★☆✓✔☑✅❌✗✘]';
const emoji = String.raw`\p{Extended_Pictographic}[\u{1F3FB}-\u{1F3FF}\uFE0F\u200D\p{Extended_Pictographic}]*`;
const bullet = new RegExp(String.raw`^(?:${dash}\uFE0F?)+\s*(?=\p{L}|\p{N}|["'(+&])`, 'u');
const emojiBullet = new RegExp(String.raw`^(?:${emoji})\s+(?=\S)`, 'u');
const inlineBullet = /\s{1,2}(?:[•·▪●►✓✔✅]\uFE0F?|🔹|🔸)\s{1,2}/gu;

/** In characters. */
const maxValueLength = 48;

/** Facts without a field of their own, such as "Handover: Q4 2028"; matched against the whole text before the colon. */
const factNames: readonly [Word, RegExp][] = [
  ['handover', /^(?:(?:expected |anticipated )?(?:handover|delivery|completion)(?: date)?|التسليم|موعد التسليم)$/i],
  ['paymentPlan', /^(?:payment plan|خطة الدفع|خطة السداد)$/i],
  ['developer', /^(?:developer|المطور|المطوّر)$/i],
  ['projectNumber', /^(?:(?:rera |dld )?project (?:no|number|registration)\.?|رقم المشروع)$/i],
  ['escrowAccount', /^(?:escrow(?: account)?(?: no| number)?\.?|حساب الضمان)$/i],
  ['serviceCharge', /^(?:service charges?|رسوم الخدمة|رسوم الخدمات)$/i],
  ['plotSize', /^(?:plot(?: size| area)?|مساحة الأرض)$/i],
  ['builtUpArea', /^(?:built[- ]?up(?: area)?|bua|المساحة المبنية)$/i],
  ['floorArea', /^(?:gfa|gross floor area)$/i],
  ['zoning', /^(?:zoning|land use|permitted use|الاستخدام)$/i],
  ['permittedHeight', /^(?:(?:permitted |permissible |max(?:imum)? )?height|الارتفاع المسموح)$/i],
  ['ownership', /^(?:ownership|tenure|title|الملكية)$/i],
  ['fitOut', /^(?:fit[- ]?out|fitting|التجهيز)$/i],
  ['floor', /^(?:floor|الطابق)$/i],
  ['pantry', /^pantry$/i],
  ['washrooms', /^washrooms?$/i],
  ['guests', /^(?:guests|sleeps|max(?:imum)? guests|الضيوف|عدد الضيوف)$/i],
  ['minimumStay', /^(?:min(?:imum|\.)? stay|أدنى مدة إقامة)$/i],
  ['checkIn', /^(?:check[- ]?in|تسجيل الدخول)$/i],
  ['checkOut', /^(?:check[- ]?out|تسجيل المغادرة)$/i],
  ['available', /^(?:available(?: from)?|availability|متاح من)$/i],
  ['deposit', /^(?:(?:security )?deposit|التأمين)$/i],
];

const factLine = /^[-–—*•·▪✓✔✅\s]{0,9}([\p{L}][\p{L}\p{M} .-]{1,26}?) ?[:：] ?(\S.*)$/u;

export function readDescription(listing: Listing) {
  const text = withoutRepeats(cleanLines(listing.description_en.slice(0, maxRawLength)), listing);
  const { described, rest } = extractDescribedFacts(text);
  const chunks = rest.slice(0, maxStoryLength).split(/\n{2,}/);
  const story = chunks.flatMap(blocksOfChunk);
  return { described, story: described.size === 0 ? story : withoutEmptyHeadings(story) };
}

/**
 * Removes the facts from the text, because the page shows them as facts or details. A line is a fact when it holds
 * nothing else; a second line for the same fact stays in the text.
 */
export function extractDescribedFacts(text: string): { described: Map<Word, string>; rest: string } {
  const described = new Map<Word, string>();
  const remaining = text.split('\n').filter(candidate => {
    const fact = factIn(candidate);
    if (!fact || described.has(fact.word)) return true;
    described.set(fact.word, fact.value);
    return false;
  });
  return {
    described,
    rest: remaining
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  };
}

function factIn(candidate: string) {
  const [, name = '', value = ''] = factLine.exec(candidate) ?? [];
  if (value.length > maxValueLength || /[.!?]\s/.test(value)) return undefined;
  const word = factNames.find(([, pattern]) => pattern.test(name))?.[0];
  return word && { word, value: value.replace(/[.;,]$/, '') };
}

export function directionOfStory([first]: readonly StoryBlock[]): TextView['dir'] {
  return (first?.heading ?? first?.paragraph ?? first?.list)?.dir ?? 'ltr';
}

/** Everything under a heading may have been extracted as facts. */
function withoutEmptyHeadings(story: readonly StoryBlock[]): StoryBlock[] {
  return story.filter((block, at) => {
    const next = story[at + 1];
    return block.heading === null || (next !== undefined && next.heading === null);
  });
}

/** A chunk is the text between two empty lines. */
function blocksOfChunk(chunk: string): StoryBlock[] {
  const split = chunk.split('\n').flatMap(splitInlineBullets);
  const lines = markItems(joinWrapped(split.filter(line => line !== '')));
  const blocks: StoryBlock[] = [];
  let items: TextView[] = [];
  const closeList = () => {
    const [first] = items;
    if (first) blocks.push(block({ list: { dir: first.dir, items } }));
    items = [];
  };
  for (const { text, isItem } of lines) {
    if (isItem) {
      items.push(directed(text));
      continue;
    }
    closeList();
    const heading = isHeading(text) ? directed(headingText(text)) : null;
    blocks.push(block(heading ? { heading } : { paragraph: directed(text) }));
  }
  closeList();
  return blocks;
}

const block = (content: Partial<StoryBlock>): StoryBlock => ({
  heading: null,
  paragraph: null,
  list: null,
  ...content,
});

interface Line {
  text: string;
  isItem: boolean;
}

/** "Features • Pool • Gym" becomes three lines. */
function splitInlineBullets(line: string): string[] {
  const bullets = line.match(inlineBullet)?.length ?? 0;
  if (bullets + (bullet.test(line) ? 1 : 0) < 2) return [line];
  const [first = '', ...rest] = line.split(inlineBullet).map(part => part.trim());
  return [first, ...rest.map(part => `• ${part}`)];
}

/** Mail programs wrap sentences: a line that starts in lower case continues the previous one. */
function joinWrapped(lines: readonly string[]): string[] {
  const joined: string[] = [];
  for (const line of lines) {
    const previous = joined.at(-1);
    if (previous !== undefined && /[\p{L}\p{N},]$/u.test(previous) && /^\p{Ll}/u.test(line)) {
      joined[joined.length - 1] = `${previous} ${line}`;
    } else joined.push(line);
  }
  return joined;
}

function markItems(lines: readonly string[]): Line[] {
  const emojiLines = lines.filter(line => emojiBullet.test(line)).length;
  const marked = lines.map(line => {
    const text = line.replace(bullet, '');
    if (text !== line) return { text, isItem: true };
    const bare = line.replace(emojiBullet, '');
    const isItem = emojiLines > 1 && bare !== line && !isHeading(bare);
    return { text: isItem ? bare : line, isItem };
  });
  return marked.some(line => line.isItem) ? marked : unmarkedList(marked);
}

/** "Key features:" followed by short lines without full stops is a list that lost its bullets. */
function unmarkedList(lines: readonly Line[]): Line[] {
  const [first, ...rest] = lines;
  if (first === undefined || !first.text.endsWith(':') || rest.length < 2) return [...lines];
  const short = rest.every(line => line.text.length <= maxHeadingLength && !/[.!?:]$/.test(line.text));
  return short ? [first, ...rest.map(line => ({ text: line.text, isItem: true }))] : [...lines];
}

function isHeading(line: string): boolean {
  if (line.length > maxHeadingLength || comparable(line) === '') return false;
  if (/[:：]$/.test(line)) return true;
  return /\p{Lu}{3}/u.test(line) && line === line.toUpperCase() && !/[.!?]$/.test(line);
}

function headingText(line: string): string {
  const text = line.replace(/^[^\p{L}\p{N}("'“‘]+|[^\p{L}\p{N})"'”’]+$/gu, '');
  if (text !== text.toUpperCase() || !/\p{Lu}{4}/u.test(text)) return text;
  return text.charAt(0) + text.slice(1).toLowerCase();
}

/** @param text cleaned lines */
function withoutRepeats(text: string, listing: Pick<Listing, 'title_en' | 'agent'>): string {
  const isRepeat = contactMatcher(listing.agent);
  return withoutTitle(text, cleanText(listing.title_en))
    .split('\n')
    .map(line => withoutContact(line, isRepeat))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Removes the title when it is the first line or the first sentence. */
function withoutTitle(text: string, title: string): string {
  const end = text.indexOf('\n');
  const first = end === -1 ? text : text.slice(0, end);
  if (comparable(first) === comparable(title)) return end === -1 ? '' : text.slice(end + 1).trim();
  if (title.length > 0 && first.toLowerCase().startsWith(title.toLowerCase())) {
    const rest = /^\s*[.!|:–—-]+\s+(?=\S)/.exec(first.slice(title.length));
    if (rest !== null) return text.slice(title.length + rest[0].length);
  }
  return text;
}

/** Removes sentences that repeat the contact details on the agent's card. */
function withoutContact(line: string, isRepeat: (text: string) => boolean): string {
  if (!isRepeat(line)) return line;
  const others = line.split(/(?<=[.!?؟])\s+/).filter(sentence => !isRepeat(sentence));
  // Also removes a telephone symbol before the number.
  return others.filter(sentence => /[\p{L}\p{N}]/u.test(sentence)).join(' ');
}

/** Matches text with the agent's e-mail, phone or BRN, and text that is only the agent's name. */
function contactMatcher(agent: Listing['agent']): (text: string) => boolean {
  const email = cleanText(agent.email).toLowerCase();
  const phone = agent.phone.replace(/\D/g, '').slice(-nationalDigits);
  const brn = agent.brn_number.replace(/\D/g, '');
  const brnLine = new RegExp(String.raw`\bBRN\b\D{0,12}${brn}\b`, 'i');
  const name = comparable(cleanText(agent.name));
  return text =>
    (email !== '' && text.toLowerCase().includes(email)) ||
    (phone.length === nationalDigits && text.replace(/\D/g, '').includes(phone)) ||
    (brn !== '' && brnLine.test(text)) ||
    (name !== '' && comparable(text.replace(/^.{0,24}?:/, '')) === name);
}
