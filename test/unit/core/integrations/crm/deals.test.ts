/** What the CRM receives for deals and stages, and how its answers are read. */
import { describe, expect, it } from 'vitest';
import { CrmConfig, dealSettings, requireSettings } from '../../../../../core/integrations/crm/config.ts';
import { openDeals } from '../../../../../core/integrations/crm/deals.ts';
import { readConfig } from '../../../../../core/runtime/config.ts';
import { crmRest } from '../../../../support/crm-rest.ts';

const env = { CRM_PRIMARY_PIPELINES: '0, 9', CRM_SECONDARY_PIPELINES: '14' };
const config = requireSettings(readConfig(CrmConfig, env), dealSettings);
const row = (id: number, categoryId: number) => ({
  id,
  categoryId,
  stageId: 'NEW',
  stageSemanticId: 'P',
  opportunity: 1,
  currencyId: 'AED',
  assignedById: 1,
  createdTime: '2024-09-02T18:37:18+03:00',
  updatedTime: '2024-09-02T18:37:18+03:00',
});

function open(methods: Parameters<typeof crmRest>[0]) {
  const { rest, sent } = crmRest(methods);
  return { deals: openDeals(rest, config), sent };
}

describe('deals', () => {
  async function read(options?: object) {
    const items = [row(1, 9), row(2, 14), row(3, 77)];
    const { deals, sent } = open({
      'crm.item.list': ({ start }) => ({ result: { items: start === 0 ? items : [] }, total: 3 }),
    });
    const chunks = [];
    for await (const chunk of deals.read(options)) chunks.push(chunk);
    return { chunks, sent };
  }

  it('have the kind of their pipeline; others are reported as unreadable', async () => {
    const { chunks } = await read();
    expect(chunks).toHaveLength(1);
    expect(chunks[0]?.rows.map(({ id, kind, pipelineId }) => [id, kind, pipelineId])).toEqual([
      [1, 'primary', 9],
      [2, 'secondary', 14],
    ]);
    expect(chunks[0]?.unreadable).toEqual([{ id: 3, reason: 'categoryId: is not one of the requested pipelines' }]);
  });

  it('are read of the configured pipelines, from a time on', async () => {
    const { sent } = await read({ changedSince: new Date('2024-09-02T15:37:18Z'), expected: 3 });
    expect(sent).toHaveLength(1);
    expect(sent[0]?.parameters).toMatchObject({
      entityTypeId: 2,
      filter: { '@categoryId': [0, 9, 14], '>=updatedTime': '2024-09-02T15:37:18+00:00', '>id': 0 },
      select: expect.arrayContaining(['id', 'stageSemanticId', 'closedate']),
    });
    const { sent: all } = await read();
    expect(all[0]?.parameters.filter).toEqual({ '@categoryId': [0, 9, 14], '>id': 0 });
  });
});

describe('stages', () => {
  const categories = [{ id: 0 }, { id: '9' }, { id: 14 }, { id: 99 }];
  const stage = (STATUS_ID: string, SEMANTICS: string | null) => ({ STATUS_ID, NAME: 'Name', SORT: '10', SEMANTICS });

  it('are those of the configured pipelines, in order', async () => {
    const { deals, sent } = open({
      'crm.category.list': () => ({ result: { categories } }),
      'crm.status.list': ({ filter }) => {
        const { ENTITY_ID: entity } = Object(filter);
        return entity === 'DEAL_STAGE'
          ? { result: [stage('NEW', null), stage('WON', 'S')] }
          : { result: entity === 'DEAL_STAGE_9' ? [] : [stage('C14:LOSE', 'F')] };
      },
    });
    const named = { name: 'Name', place: 10 };
    expect(await deals.stages()).toEqual([
      { ...named, id: 'NEW', outcome: 'open', pipelineId: 0 },
      { ...named, id: 'WON', outcome: 'won', pipelineId: 0 },
      { ...named, id: 'C14:LOSE', outcome: 'lost', pipelineId: 14 },
    ]);
    expect(sent.map(({ parameters }) => parameters)).toEqual([
      { entityTypeId: 2 },
      ...['DEAL_STAGE', 'DEAL_STAGE_9', 'DEAL_STAGE_14'].map(ENTITY_ID => ({
        filter: { ENTITY_ID },
        order: { SORT: 'ASC' },
      })),
    ]);
  });

  it('are none of a pipeline without a list', async () => {
    const { deals } = open({
      'crm.category.list': () => ({ result: { categories } }),
      'crm.status.list': () => ({ error: ['', 'Not found'] }),
    });
    expect(await deals.stages()).toEqual([]);
  });

  it.each([
    [{ result: { categories: [{ id: 9 }] } }, '0, 14'],
    [{ error: ['', 'Not found'] as [string, string] }, '0, 9, 14'],
  ])('are an error when the CRM has not all of the pipelines', async (answer, named) => {
    const { deals } = open({ 'crm.category.list': () => answer, 'crm.status.list': () => ({ result: [] }) });
    await expect(deals.stages()).rejects.toMatchObject({
      code: 'system-not-configured',
      message: `The CRM has no deal pipeline ${named}: correct CRM_PRIMARY_PIPELINES and CRM_SECONDARY_PIPELINES.`,
    });
  });
});
