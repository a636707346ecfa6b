/** Deal counts and amounts of a user, in total and by stage. Amounts of different currencies are never added. */
import { z } from 'zod';
import type { DealFilter, DealSum } from '../../../core/domain/crm/deals.ts';
import { CrmDealKind, CrmOutcome } from '../../../core/integrations/crm/types.ts';
import { invalidInput } from '../../../core/runtime/errors.ts';
import { dubaiDay } from '../../../core/values/dubai-time.ts';
import { groupBy } from '../../../core/values/group-by.ts';

const Decimal = z.string().describe('Decimal.');

const Amounts = z.object({
  amount: Decimal,
  currency: z.string().describe('ISO 4217: the currency of most of the user’s deals.'),
  otherAmounts: z
    .array(z.object({ amount: Decimal, currency: z.string(), deals: z.int() }))
    .optional()
    .describe('Amounts in other currencies; absent if there are none.'),
});

const dealSummaryExample = {
  assignedUserId: 21,
  name: 'Fatima Haddad',
  deals: 14,
  won: 3,
  lost: 5,
  amount: '31250000.00',
  currency: 'AED',
  wonAmount: '7400000.00',
  byStage: [{ stage: 'C1:NEW', name: 'New', outcome: 'open', deals: 6, amount: '12850000.00', currency: 'AED' }],
};

export const DealSummary = z
  .object({
    assignedUserId: z.int().describe('The user’s id in the CRM.'),
    name: z.string().nullable().describe('Null if the CRM does not return the user.'),
    deals: z.int().describe('Number of deals.'),
    won: z.int().describe('Number of won deals.'),
    lost: z.int().describe('Number of lost deals.'),
    ...Amounts.shape,
    wonAmount: Decimal.describe('Amount of the won deals in that currency.'),
    byStage: z
      .array(
        z.object({
          stage: z.string().describe('The stage’s id in the CRM.'),
          name: z.string().nullable().describe('Name of the stage.'),
          outcome: CrmOutcome.describe('What the stage means.'),
          deals: z.int().describe('Number of deals.'),
          ...Amounts.shape,
        }),
      )
      .describe('In the order of the pipeline.'),
  })
  .meta({ id: 'DealSummary', examples: [dealSummaryExample] });
export type DealSummary = z.infer<typeof DealSummary>;

export const DealSummaries = z
  .object({
    items: z.array(DealSummary).describe('The users with such deals.'),
    asOf: z.iso.datetime().nullable().describe('Start of the last acquisition of deals; null before the first.'),
  })
  .meta({ examples: [{ items: [dealSummaryExample], asOf: '2026-01-31T08:00:04.120Z' }] });

const dateError = 'must be a date such as 2026-01-31, or an ISO 8601 time, from 1970 to 2999';
const dateOrTime = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], dateError)
  .refine(text => text >= '1970' && text < '3000', dateError);
const isDate = (text: string): boolean => text.length === 10;

export const DealQuery = z.object({
  from: dateOrTime
    .transform(text => (isDate(text) ? dubaiDay(text).from : new Date(text)))
    .optional()
    .describe('Only deals created at this time or later; a date starts at midnight in Dubai.'),
  to: dateOrTime
    .transform(text => (isDate(text) ? dubaiDay(text).to : new Date(text)))
    .optional()
    .describe('Only deals created before this time; a date is included until midnight in Dubai.'),
  kind: CrmDealKind.optional().describe('Only deals of the primary or of the secondary market.'),
});

/** @throws ServiceError invalid-input when `to` is not after `from` */
export function dealFilter({ from, to, kind }: z.output<typeof DealQuery>): DealFilter {
  if (!from || !to || from < to) return { from, to, kind };
  throw invalidInput(
    [{ pointer: '/to', detail: 'must be later than from', in: 'query' }],
    '"to" must be later than "from".',
  );
}

/** @param sums ordered by user and stage */
export function dealSummaries(sums: readonly DealSum[]): DealSummary[] {
  return [...groupBy(sums, sum => sum.assignedUserId).values()].map(summaryOf);
}

function summaryOf(sums: readonly DealSum[]): DealSummary {
  const [{ assignedUserId, name } = { assignedUserId: 0, name: null }] = sums;
  const currency = mainCurrency(sums);
  const won = sums.filter(({ outcome }) => outcome === 'won');
  return {
    assignedUserId,
    name,
    deals: countOf(sums),
    won: countOf(won),
    lost: countOf(sums.filter(({ outcome }) => outcome === 'lost')),
    ...amountsOf(sums, currency),
    wonAmount: total(won.filter(sum => sum.currency === currency)),
    byStage: [...groupBy(sums, sum => sum.stageId).values()].map(stage => ({
      stage: stage[0]?.stageId ?? '',
      name: stage[0]?.stageName ?? null,
      outcome: stage[0]?.outcome ?? 'open',
      deals: countOf(stage),
      ...amountsOf(stage, currency),
    })),
  };
}

function amountsOf(sums: readonly DealSum[], currency: string): z.infer<typeof Amounts> {
  const byCurrency = groupBy(sums, sum => sum.currency);
  const others = [...byCurrency].filter(([other]) => other !== currency);
  return {
    amount: total(byCurrency.get(currency) ?? []),
    currency,
    ...(others.length > 0 && {
      otherAmounts: others.map(([other, some]) => ({
        amount: total(some),
        currency: other,
        deals: countOf(some),
      })),
    }),
  };
}

function mainCurrency(sums: readonly DealSum[]): string {
  const counts = [...groupBy(sums, sum => sum.currency)].map(([currency, some]) => ({
    currency,
    deals: countOf(some),
  }));
  return counts.sort((a, b) => b.deals - a.deals)[0]?.currency ?? '';
}

const countOf = (sums: readonly DealSum[]): number => sums.reduce((count, { deals }) => count + deals, 0);

/** Adds in whole hundredths, because binary fractions are inexact. */
function total(sums: readonly DealSum[]): string {
  const hundredths = sums.reduce((sum, { amount }) => sum + BigInt(amount.replace('.', '')), 0n);
  const digits = String(hundredths < 0n ? -hundredths : hundredths).padStart(3, '0');
  return `${hundredths < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
