/** Deals, pipelines and stages in the CRM's form. */
import { z } from 'zod';
import { rowsIn } from '../../kit/read-rows.ts';
import { Id, Money, Semantic, Text, Time, TimeOrNull } from './scalars.ts';

const Row = z.object({
  ID: Id,
  CATEGORY_ID: Id,
  STAGE_ID: z.string(),
  STAGE_SEMANTIC_ID: Semantic,
  OPPORTUNITY: Money,
  CURRENCY_ID: Text,
  ASSIGNED_BY_ID: Id,
  DATE_CREATE: Time,
  DATE_MODIFY: Time,
  CLOSED: Text,
  CLOSEDATE: TimeOrNull,
});
export const dealFields = Object.keys(Row.shape);

export const WireDeal = Row.transform(row => ({
  id: row.ID,
  pipelineId: row.CATEGORY_ID,
  stageId: row.STAGE_ID,
  outcome: row.STAGE_SEMANTIC_ID,
  amount: row.OPPORTUNITY,
  /** ISO 4217; '' when the CRM has none. */
  currency: row.CURRENCY_ID,
  assignedUserId: row.ASSIGNED_BY_ID,
  createdAt: row.DATE_CREATE,
  modifiedAt: row.DATE_MODIFY,
  /** For an open deal `CLOSEDATE` is the expected date. */
  closedAt: row.CLOSED === 'Y' ? row.CLOSEDATE : null,
}));
export type CrmPipelineDeal = z.output<typeof WireDeal>;

export const dealEntityType = 2;

export const WirePipelines = z.object({ categories: z.array(z.object({ id: Id })) });

export const WireStages = rowsIn(
  { system: { name: 'crm', title: 'The CRM' }, record: 'stage', id: 'STATUS_ID' },
  z
    .object({ STATUS_ID: z.string(), NAME: z.string(), SORT: Id, SEMANTICS: Semantic })
    .transform(row => ({ id: row.STATUS_ID, name: row.NAME, place: row.SORT, outcome: row.SEMANTICS })),
);

/** Stages are stored with the statuses; the name for the first pipeline, whose id is 0, contains no id. */
export const stagesOf = (pipelineId: number): string => (pipelineId === 0 ? 'DEAL_STAGE' : `DEAL_STAGE_${pipelineId}`);
