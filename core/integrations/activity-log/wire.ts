/** What the log store answers a search with, its errors, and its entries in our words. */
import { z } from 'zod';
import type { RawAnswer } from '../kit/answer.ts';
import type { Fault } from '../kit/fault.ts';
import type { ActivityLogConfig } from './config.ts';

export interface Activity {
  id: string;
  at: Date;
  /** What was done, in the portal's words, such as `listing.viewed`. */
  action: string;
  /** The reference of the listing it was done with. */
  listing: string | null;
  crmId: number | null;
  /** In lower case. */
  email: string | null;
  phone: string | null;
}

/** Partial answers look like whole ones but for these. */
const Completeness = z.object({ timed_out: z.boolean(), _shards: z.object({ failed: z.int() }) });

const VendorError = z.object({
  error: z.object({ type: z.string(), reason: z.string().nullish() }),
});

/** A part of the shards, or what was found in time, is an error here: nobody could tell what is missing. */
export function readFault(answer: RawAnswer): Fault | undefined {
  if (answer.status !== 200) {
    const { error } = VendorError.safeParse(answer.json()).data ?? {};
    if (!error || answer.status === 401) return undefined;
    const verdict = answer.status === 429 ? 'limit' : answer.status >= 500 ? 'passing' : 'refused';
    return { verdict, code: error.type, message: error.reason ?? '' };
  }
  const told = Completeness.safeParse(answer.json()).data;
  if (!told || (!told.timed_out && told._shards.failed === 0)) return undefined;
  const message = told.timed_out ? 'the search ran out of time' : `${told._shards.failed} shards failed`;
  return { verdict: 'passing', code: 'partial', message };
}

export const SearchAnswer = z.object({
  timed_out: z.literal(false),
  _shards: z.object({ failed: z.literal(0) }),
  hits: z.object({
    total: z.object({ value: z.int().min(0), relation: z.literal('eq') }),
    hits: z.array(
      z.object({
        _source: z.record(z.string(), z.unknown()),
        sort: z.array(z.union([z.string(), z.number()])),
      }),
    ),
  }),
});

/** A field to search and sort by may be a variant of the one in the entry. */
export const sourceField = (field: string): string => field.replace(/\.(keyword|raw)$/, '');

const text = z
  .union([z.string(), z.number()])
  .nullish()
  .transform(value => (value === undefined || value === null ? null : String(value).trim() || null));

const Entry = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  at: z.coerce.date(),
  action: text.transform(action => action ?? 'other'),
  listing: text,
  crmId: z.coerce.number().int().positive().nullable().catch(null),
  email: text.transform(email => email?.toLowerCase() ?? null),
  phone: text,
});

/** @throws ZodError when an entry has no time or no id */
export function activityReader(config: ActivityLogConfig): (source: Record<string, unknown>) => Activity {
  const fields = {
    id: config.ACTIVITY_LOG_ID_FIELD,
    at: config.ACTIVITY_LOG_TIME_FIELD,
    action: config.ACTIVITY_LOG_ACTION_FIELD,
    listing: config.ACTIVITY_LOG_LISTING_FIELD,
    crmId: config.ACTIVITY_LOG_CRM_ID_FIELD,
    email: config.ACTIVITY_LOG_EMAIL_FIELD,
    phone: config.ACTIVITY_LOG_PHONE_FIELD,
  };
  return source =>
    Entry.parse(
      Object.fromEntries(Object.entries(fields).map(([word, field]) => [word, valueAt(source, field)])),
    );
}

/** `user.email` may stand in an object `user`, or under its whole name. */
function valueAt(source: Record<string, unknown>, field: string): unknown {
  const name = sourceField(field);
  if (name in source) return source[name];
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null
          ? Object.entries(value).find(([key]) => key === part)?.[1]
          : undefined,
      source,
    );
}
