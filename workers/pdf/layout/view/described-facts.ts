/** Facts without a field of their own, read from description lines such as "Handover: Q4 2028". */
import type { Word } from '../labels.ts';

const maxValueLength = 48;

/** Matched against the whole text before the colon. */
const names: readonly [Word, RegExp][] = [
  [
    'handover',
    /^(?:(?:expected |anticipated )?(?:handover|delivery|completion)(?: date)?|التسليم|موعد التسليم)$/i,
  ],
  ['paymentPlan', /^(?:payment plan|خطة الدفع|خطة السداد)$/i],
  ['developer', /^(?:developer|المطور|المطوّر)$/i],
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

const line = /^[-–—*•·▪✓✔✅\s]*([\p{L}][\p{L} .-]{1,26}?)\s*[:：]\s*(\S.*)$/u;

export type DescribedFacts = ReadonlyMap<Word, string>;

/**
 * Removes the facts from the text, because the page shows them as facts or details. A line is a fact when it holds
 * nothing else; a second line for the same fact stays in the text.
 */
export function extractDescribedFacts(text: string): { described: DescribedFacts; rest: string } {
  const described = new Map<Word, string>();
  if (!/[:：]/.test(text)) return { described, rest: text };
  const remaining = text.split('\n').filter(candidate => {
    const fact = factIn(candidate);
    if (!fact || described.has(fact.word)) return true;
    described.set(fact.word, fact.value);
    return false;
  });
  const rest = remaining.join('\n').replace(/\n{3,}/g, '\n\n');
  return { described, rest: rest.trim() };
}

function factIn(candidate: string): { word: Word; value: string } | undefined {
  const [, name = '', value = ''] = line.exec(candidate) ?? [];
  if (value === '' || value.length > maxValueLength || /[.!?]\s/.test(value)) return undefined;
  const word = names.find(([, pattern]) => pattern.test(name))?.[0];
  return word && { word, value: value.replace(/[.;,]$/, '') };
}
