/** The deals of the local mirror, by stage and by person, with bars. */
import { z } from 'zod';
import { createDeals, dealsStateKind } from '../../core/domain/crm/deals.ts';
import { CrmDealKind } from '../../core/integrations/crm/types.ts';
import { createSyncStates } from '../../core/sync/states.ts';
import { DealQuery, type DealSummary, dealFilter, dealSummaries } from '../operations/crm/deal-summary.ts';
import type { ApiServices } from '../services.ts';
import { timeView } from './format.ts';

/** More than a company has. */
const maxUsers = 5_000;
const maxPeople = 50;

const Days = z.strictObject({ from: z.iso.date(), to: z.iso.date(), kind: CrmDealKind }).partial();
/** Days instead of times, because the page has inputs for days. */
export const DealsPageQuery = Days.transform(days => ({ days, filter: dealFilter(DealQuery.parse(days)) }));

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

type Sums = Pick<DealSummary, 'deals' | 'amount' | 'currency' | 'otherAmounts'>;

const amountText = ({ amount, currency, otherAmounts = [] }: Sums): string =>
  [{ amount, currency }, ...otherAmounts].map(sum => `${number.format(Number(sum.amount))} ${sum.currency}`).join(', ');

/** With bars on the scale of the largest row. */
function rowsOf<Row extends Sums & { label: string; note?: string }>(rows: readonly Row[]) {
  const most = Math.max(1, ...rows.map(({ deals }) => deals));
  return rows.map(row => ({
    label: row.label,
    note: row.note,
    deals: number.format(row.deals),
    amount: amountText(row),
    width: (100 * row.deals) / most,
  }));
}

export async function dealsView({ days, filter }: z.output<typeof DealsPageQuery>, { database, config }: ApiServices) {
  const deals = createDeals(database);
  const [sums, stageIds, state] = await Promise.all([
    deals.sums(filter, { after: 0, users: maxUsers }),
    deals.stageIds(),
    createSyncStates(database).read(dealsStateKind),
  ]);
  const [all] = dealSummaries(sums.map(sum => ({ ...sum, assignedUserId: 0, name: null })));
  const placeOf = ({ stage }: { stage: string }) => stageIds.indexOf(stage);
  const stages = (all?.byStage ?? []).toSorted((one, other) => placeOf(one) - placeOf(other));
  const people = dealSummaries(sums).toSorted((one, other) => other.deals - one.deals);
  return {
    title: 'Deals',
    days,
    kinds: CrmDealKind.options.map(value => ({ value, isSelected: value === days.kind })),
    asOf: state && timeView(state.asOf),
    total: all && { deals: number.format(all.deals), amount: amountText(all) },
    json: `${config.BASE_PATH}/apps/crm/v1/deals/summary`,
    stages: rowsOf(stages.map(stage => ({ ...stage, label: stage.name ?? stage.stage, note: stage.outcome }))),
    people: rowsOf(
      people.slice(0, maxPeople).map(person => ({
        ...person,
        label: person.name ?? `User ${person.assignedUserId}`,
        note: `${number.format(person.won)} won, ${number.format(person.lost)} lost`,
      })),
    ),
    morePeople: Math.max(0, people.length - maxPeople),
  };
}
