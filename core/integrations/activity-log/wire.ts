/** The log store's search answers, errors and entries. */
import { z } from 'zod';
import type { RawAnswer } from '../kit/call.ts';
import type { VendorFault } from '../kit/fault.ts';
import { type RowKind, readRow } from '../kit/read-rows.ts';
import { rowOf } from '../kit/row.ts';
import type { ActivityLogConfig } from './config.ts';

export const system = { name: 'activity-log', title: 'The log store' };

/** Only these members distinguish a partial answer from a complete one. */
const Completeness = z.object({ timed_out: z.boolean(), _shards: z.object({ failed: z.int() }) });

const VendorError = z.object({ error: z.object({ type: z.string(), reason: z.string().nullish() }) });

/** An answer of some shards only, or of a search that timed out, is an error: what it lacks is unknown. */
export function readFault(answer: RawAnswer): VendorFault | undefined {
  if (answer.status !== 200) {
    const { error } = VendorError.safeParse(answer.json()).data ?? {};
    if (!error || answer.status === 401) return undefined;
    const verdict = answer.status === 429 ? 'limit' : answer.status >= 500 ? 'transient' : 'rejected';
    return { verdict, code: error.type, message: error.reason ?? '' };
  }
  const { timed_out = false, _shards } = Completeness.safeParse(answer.json()).data ?? {};
  const failedShards = _shards?.failed ?? 0;
  if (!timed_out && failedShards === 0) return undefined;
  const message = timed_out ? 'the search timed out' : `${failedShards} shards failed`;
  return { verdict: 'transient', code: 'partial', message };
}

/** The entry's field, from the name of its variant for searching and sorting. */
export const sourceField = (field: string): string => field.replace(/\.(keyword|raw)$/, '');

const SortValue = z.union([z.string(), z.number(), z.null()]);
export type SortValue = z.infer<typeof SortValue>;

const text = z
  .union([z.string(), z.number()])
  .nullish()
  .transform(value => (value === undefined || value === null ? null : String(value).trim() || null));

const Entry = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  at: z.coerce.date(),
  /** The portal's name of the action, such as `listing.viewed`. */
  action: text.transform(action => action ?? 'other'),
  /** Reference of the listing. */
  listing: text,
  crmId: z.coerce.number().int().positive().nullable().catch(null),
  /** Lower case. */
  email: text.transform(email => email?.toLowerCase() ?? null),
  phone: text,
});
export type Activity = z.infer<typeof Entry>;

const kind: RowKind = { system, record: 'entry', id: '_id' };

/** The store sorts entries without a field as null. */
const Hit = z.looseObject({ sort: z.array(SortValue) });

export function searchAnswer(config: ActivityLogConfig) {
  const fields = {
    id: config.ACTIVITY_LOG_ID_FIELD,
    at: config.ACTIVITY_LOG_TIME_FIELD,
    action: config.ACTIVITY_LOG_ACTION_FIELD,
    listing: config.ACTIVITY_LOG_LISTING_FIELD,
    crmId: config.ACTIVITY_LOG_CRM_ID_FIELD,
    email: config.ACTIVITY_LOG_EMAIL_FIELD,
    phone: config.ACTIVITY_LOG_PHONE_FIELD,
  };
  const entry = rowOf(Entry, source =>
    Object.fromEntries(Object.entries(fields).map(([word, field]) => [word, valueAt(source, field)])),
  );
  const found = z.object({ _source: entry }).transform(({ _source }) => _source);
  return z.object({
    timed_out: z.literal(false),
    _shards: z.object({ failed: z.literal(0) }),
    hits: z.object({
      total: z.object({ value: z.int().min(0), relation: z.literal('eq') }),
      hits: z.array(Hit).transform(hits => ({
        rows: hits.map((hit, index) => readRow(kind, found, hit, index)),
        last: hits.at(-1)?.sort,
      })),
    }),
  });
}

/** `user.email` may be a member of an object `user`, or a member with that whole name. */
function valueAt(source: Readonly<Record<string, unknown>>, field: string): unknown {
  const name = sourceField(field);
  if (name in source) return source[name];
  const member = (value: unknown, part: string): unknown =>
    typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(part) : undefined;
  return name.split('.').reduce<unknown>(member, source);
}
