/** Methods of reference data: pipelines, stages, statuses and sources. */
import { CrmError } from '../crm-error.ts';
import type { Methods } from '../method.ts';
import { idParameter, mapParameter } from '../parameters.ts';
import { dealPipelines, leadStatuses, type Stage, sources } from '../pipelines.ts';

export const referenceMethods: Methods = {
  'crm.category.list': ({ parameters }) => {
    if (idParameter(parameters, 'entityTypeId') !== 2)
      throw new CrmError(400, 'ENTITY_TYPE_NOT_SUPPORTED', 'Entity type is not supported');
    const categories = dealPipelines.map(({ id, name }) => ({
      id,
      name,
      sort: 100 * (id + 1),
      entityTypeId: 2,
      isDefault: id === 0 ? 'Y' : 'N',
      originId: '',
      originatorId: '',
    }));
    return { result: { categories }, total: categories.length };
  },
  'crm.status.list': ({ parameters }) => {
    const { ENTITY_ID: entityId } = mapParameter(parameters, 'filter') ?? {};
    const selected = statuses.filter(status => entityId === undefined || status.ENTITY_ID === entityId);
    return { result: selected, total: selected.length };
  },
};

const statuses = [
  ...statusesOf('STATUS', leadStatuses),
  ...statusesOf('SOURCE', sources),
  ...dealPipelines.flatMap(({ id, stages }) =>
    statusesOf(id === 0 ? 'DEAL_STAGE' : `DEAL_STAGE_${id}`, stages, String(id)),
  ),
].map((status, index) => ({ ID: String(index + 1), ...status }));

function statusesOf(entityId: string, stages: readonly Stage[], categoryId: string | null = null) {
  return stages.map(({ id, name, semantics }, index) => ({
    ENTITY_ID: entityId,
    STATUS_ID: id,
    NAME: name,
    NAME_INIT: '',
    SORT: String((index + 1) * 10),
    SYSTEM: 'N',
    CATEGORY_ID: categoryId,
    SEMANTICS: semantics === 'P' ? null : semantics,
  }));
}
