/** Deals, pipelines and stages in the CRM's form. */
import { z } from 'zod';
import { rowsIn } from '../../kit/read-rows.ts';
import { Id, Money, Semantic, Text, Time, TimeOrNull } from './scalars.ts';

const Row = z.object({
  id: Id,
  categoryId: Id,
  stageId: z.string(),
  stageSemanticId: Semantic,
  opportunity: Money,
  currencyId: Text,
  assignedById: Id,
  createdTime: Time,
  updatedTime: Time,
  closed: Text,
  closedate: TimeOrNull,
});
export const dealFields = Object.keys(Row.shape);

export const WireDeal = Row.transform(row => ({
  id: row.id,
  pipelineId: row.categoryId,
  stageId: row.stageId,
  outcome: row.stageSemanticId,
  amount: row.opportunity,
  /** ISO 4217; '' when the CRM has none. */
  currency: row.currencyId,
  assignedUserId: row.assignedById,
  createdAt: row.createdTime,
  modifiedAt: row.updatedTime,
  /** For an open deal `closedate` is the expected date. */
  closedAt: row.closed === 'Y' ? row.closedate : null,
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
