/** Deals of the configured pipelines, and the names of their stages. */
import { z } from 'zod';
import { ServiceError } from '../../runtime/errors.ts';
import { goodRows } from '../kit/read-rows.ts';
import type { DealConfig } from './config.ts';
import { type Chunk, type CrmList, type ReadOptions, readList } from './read-list.ts';
import { resultOf } from './rejection.ts';
import type { CrmRest } from './rest.ts';
import type { CrmDealKind } from './types.ts';
import {
  type CrmPipelineDeal,
  dealEntityType,
  dealFields,
  stagesOf,
  WireDeal,
  WirePipelines,
  WireStages,
} from './wire/deal.ts';
import { timeText } from './wire/scalars.ts';

export interface CrmDeal extends CrmPipelineDeal {
  kind: CrmDealKind;
}

export function openDeals(rest: CrmRest, config: DealConfig) {
  const kinds = new Map<number, CrmDealKind>([
    ...config.CRM_PRIMARY_PIPELINES.map(id => [id, 'primary'] as const),
    ...config.CRM_SECONDARY_PIPELINES.map(id => [id, 'secondary'] as const),
  ]);
  const pipelineIds = [...kinds.keys()];

  const listOf = (changedSince: Date | undefined): CrmList<z.ZodType<CrmDeal>> => ({
    title: 'deals',
    record: 'deal',
    parameters: { entityTypeId: dealEntityType },
    filter: {
      '@categoryId': pipelineIds,
      ...(changedSince && { '>=updatedTime': timeText(changedSince) }),
    },
    select: dealFields,
    row: WireDeal.transform((deal, context) => {
      const kind = kinds.get(deal.pipelineId);
      if (kind) return { ...deal, kind };
      context.addIssue({
        code: 'custom',
        path: ['categoryId'],
        message: 'is not one of the requested pipelines',
      });
      return z.NEVER;
    }),
  });

  return {
    /** Ordered by id, 2,500 a request. */
    read: ({ changedSince, ...options }: ReadOptions = {}): AsyncGenerator<Chunk<CrmDeal>> =>
      readList(rest, listOf(changedSince), options),

    /**
     * Stages of the configured pipelines, in order.
     * @throws ServiceError system-not-configured when the CRM has no such pipeline
     */
    async stages() {
      const [pipelines, ...stages] = await rest.batch('read', [
        { key: 'pipelines', method: 'crm.category.list', parameters: { entityTypeId: dealEntityType } },
        ...pipelineIds.map(id => ({
          key: `pipeline${id}`,
          method: 'crm.status.list',
          parameters: { filter: { ENTITY_ID: stagesOf(id) }, order: { SORT: 'ASC' } },
        })),
      ]);
      const known = (pipelines && resultOf(pipelines, WirePipelines))?.categories ?? [];
      const missing = pipelineIds.filter(id => !known.some(pipeline => pipeline.id === id));
      if (missing.length > 0) throw noSuchPipelines(missing);
      return pipelineIds.flatMap((pipelineId, index) => {
        const outcome = stages[index];
        const found = outcome ? resultOf(outcome, WireStages) : undefined;
        return goodRows(found ?? []).map(stage => ({ ...stage, pipelineId }));
      });
    },
  };
}

const noSuchPipelines = (ids: readonly number[]): ServiceError =>
  new ServiceError(
    'system-not-configured',
    `The CRM has no deal pipeline ${ids.join(', ')}: correct CRM_PRIMARY_PIPELINES and CRM_SECONDARY_PIPELINES.`,
  );
