/** Facts that have no field of their own and stand in the description as "Handover: Q4 2028", a line each. */
import type { Word } from '../labels.ts';

const longestValue = 48;

/** What agents call them; the whole of what stands before the colon. */
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

export type SaidFacts = ReadonlyMap<Word, string>;

/**
 * Takes the facts out of the text: the page shows them among its facts and details. Each only once, and only where its
 * line holds nothing else.
 */
export function takeSaidFacts(text: string): { said: SaidFacts; rest: string } {
  const said = new Map<Word, string>();
  if (!/[:：]/.test(text)) return { said, rest: text };
  const kept = text.split('\n').filter(candidate => {
    const fact = saidIn(candidate);
    if (!fact || said.has(fact.word)) return true;
    said.set(fact.word, fact.value);
    return false;
  });
  return {
    said,
    rest: kept
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  };
}

function saidIn(candidate: string): { word: Word; value: string } | undefined {
  const [, name = '', value = ''] = line.exec(candidate) ?? [];
  if (value === '' || value.length > longestValue || /[.!?]\s/.test(value)) return undefined;
  const word = names.find(([, pattern]) => pattern.test(name))?.[0];
  return word && { word, value: value.replace(/[.;,]$/, '') };
}
