/** Deals of the two pipelines that matter here, and the names of their stages. */
import { z } from 'zod';
import type { CrmDealKind, CrmOutcome } from '../../crm-words.ts';
import type { CrmConfig } from './config.ts';
import { type Chunk, type CrmList, type ReadOptions, readList } from './read-list.ts';
import { foundIn } from './refusal.ts';
import type { CrmRest } from './rest.ts';
import {
  type CrmPipelineDeal,
  dealEntityType,
  dealFields,
  stagesOf,
  WireDeal,
  WirePipelines,
  WireStages,
} from './wire/deal.ts';

export interface CrmDeal extends CrmPipelineDeal {
  kind: CrmDealKind;
}

export interface CrmStage {
  id: string;
  pipelineId: number;
  name: string;
  /** Its place in the pipeline. */
  place: number;
  outcome: CrmOutcome;
}

export function openDeals(rest: CrmRest, config: CrmConfig) {
  const kinds = new Map<number, CrmDealKind>([
    ...config.CRM_PRIMARY_PIPELINES.map(id => [id, 'primary'] as const),
    ...config.CRM_SECONDARY_PIPELINES.map(id => [id, 'secondary'] as const),
  ]);
  const pipelineIds = [...kinds.keys()];

  const listOf = (changedSince: Date | undefined): CrmList<z.ZodType<CrmDeal>> => ({
    title: 'deals',
    method: 'crm.deal.list',
    filter: {
      '@CATEGORY_ID': pipelineIds,
      ...(changedSince && { '>=DATE_MODIFY': changedSince.toISOString() }),
    },
    select: dealFields,
    idField: 'ID',
    row: WireDeal.transform((deal, context) => {
      const kind = kinds.get(deal.pipelineId);
      if (kind) return { ...deal, kind };
      context.addIssue({
        code: 'custom',
        path: ['CATEGORY_ID'],
        message: 'is not a pipeline that was asked for',
      });
      return z.NEVER;
    }),
  });

  return {
    /** By id, 2,500 a request. */
    read: ({ changedSince, ...options }: ReadOptions = {}): AsyncGenerator<Chunk<CrmDeal>> =>
      readList(rest, listOf(changedSince), options),

    pipelines: async (): Promise<{ id: number; name: string }[]> => {
      const parameters = { entityTypeId: dealEntityType };
      const { categories } = await rest.call({
        class: 'read',
        method: 'crm.category.list',
        parameters,
        answer: WirePipelines,
      });
      return categories;
    },

    /** Of the pipelines above, in order. */
    async stages(): Promise<CrmStage[]> {
      const outcomes = await rest.batch(
        'read',
        pipelineIds.map(id => ({
          key: `pipeline${id}`,
          method: 'crm.status.list',
          parameters: { filter: { ENTITY_ID: stagesOf(id) }, order: { SORT: 'ASC' } },
        })),
      );
      return pipelineIds.flatMap((pipelineId, index) => {
        const outcome = outcomes[index];
        const stages = outcome ? foundIn(outcome, WireStages) : undefined;
        return (stages ?? []).map(stage => ({ ...stage, pipelineId }));
      });
    },
  };
}
