/** Offering types, completion, furnishing, rental periods, and the values of condition and occupancy. */
import { createTable, type Row, type Term } from './table.ts';

const plain = (rows: readonly Row[]) => createTable<Term>(rows, term => term);

/** The slug tells sale or rent. */
export const offeringTypes = plain([
  ['rent', 'RR CR', 'Rent', 'للإيجار', 'for rent|to let|lease|إيجار|ايجار|للايجار|residential rent|commercial rent'],
  ['sale', 'RS CS', 'Sale', 'للبيع', 'for sale|sell|buy|resale|بيع|residential sale|commercial sale'],
]);

export const completions = plain([
  ['completed', '', 'Ready', 'جاهز', 'complete|completed primary|ready to move in'],
  ['off_plan', '', 'Off-plan', 'على الخارطة', 'offplan|off plan primary|under construction|قيد الإنشاء'],
]);

export const furnishings = plain([
  ['furnished', '', 'Furnished', 'مفروش', 'yes|y|true|1|fully furnished'],
  ['unfurnished', '', 'Unfurnished', 'غير مفروش', 'no|n|false|0|not furnished'],
  ['semi-furnished', '', 'Partly furnished', 'مفروش جزئيًا', 'partly|partially|semi|partially furnished'],
]);

export const rentalPeriods = plain([
  ['year', '', 'year', 'سنة', 'yearly|annual|annually|per year|per annum|a year|pa|year/ly|y|yr|سنوي|سنويا|سنويًا'],
  ['month', '', 'month', 'شهر', 'monthly|per month|a month|m|pm|pcm|شهري|شهريا|شهريًا'],
  ['week', '', 'week', 'أسبوع', 'weekly|per week|a week|w|أسبوعي|أسبوعيًا'],
  ['night', '', 'night', 'ليلة', 'nightly|per night|a night'],
  ['day', '', 'day', 'يوم', 'daily|per day|a day|d|يومي|يوميًا'],
]);

/** Words in the fields condition, status and view. */
export const conditions = plain([
  ['vacant', '', 'Vacant', 'شاغر', 'empty'],
  ['rented', '', 'Rented', 'مؤجَّر', 'tenanted'],
  ['owner-occupied', '', 'Owner occupied', 'يسكنه المالك'],
  ['excellent', '', 'Excellent', 'ممتازة'],
  ['good', '', 'Good', 'جيدة'],
  ['new', '', 'New', 'جديدة'],
  ['fully-finished', '', 'Fully finished', 'تشطيب كامل'],
  ['semi-finished', '', 'Semi-finished', 'نصف تشطيب'],
  ['unfinished', '', 'Unfinished', 'بدون تشطيب'],
]);
