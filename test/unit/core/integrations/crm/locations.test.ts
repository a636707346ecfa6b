/** What the CRM receives for locations, and how its answers are read. */
import { describe, expect, it } from 'vitest';
import { CrmConfig, locationSettings, requireSettings } from '../../../../../core/integrations/crm/config.ts';
import { openLocations } from '../../../../../core/integrations/crm/locations.ts';
import { readConfig } from '../../../../../core/runtime/config.ts';
import { crmRest, rejection } from '../../../../support/crm-rest.ts';
import { crmSettings } from '../../../../support/crm-webhook.ts';

const config = requireSettings(readConfig(CrmConfig, crmSettings), locationSettings);
const item = (id: number) => ({
  id,
  title: 'Dubai Marina, Dubai',
  updatedTime: '2024-09-02T18:37:18+03:00',
  ufCrm8Type: 'COMMUNITY',
  ufCrm8Parent: 1,
  ufCrm8PortalId: '50',
});
const location = {
  parentId: 1,
  type: 'community',
  title: 'Dubai Marina, Dubai',
  nameAr: null,
  portalId: '50',
} as const;
const fields = {
  title: 'Dubai Marina, Dubai',
  ufCrm8Type: 'COMMUNITY',
  ufCrm8Parent: 1,
  ufCrm8PortalId: '50',
  ufCrm8NameAr: null,
};
const entityTypeId = 1222;
const select = ['id', 'updatedTime', 'title', 'ufCrm8Type', 'ufCrm8Parent', 'ufCrm8PortalId', 'ufCrm8NameAr'];
const missing = { error: ['NOT_FOUND', 'Item'] as [string, string] };

function open(methods: Parameters<typeof crmRest>[0]) {
  const { rest, sent } = crmRest(methods);
  return { locations: openLocations(rest, config), sent };
}

describe('all locations', () => {
  async function read(options?: object) {
    const result = { items: [item(9)] };
    const { locations, sent } = open({
      'crm.item.list': ({ start }) => ({ result: start === 0 ? result : { items: [] }, total: 1 }),
    });
    const rows: unknown[] = [];
    for await (const chunk of locations.read(options)) rows.push(...chunk.rows);
    return { rows, sent };
  }

  it('are read by id, with the configured fields', async () => {
    const { rows, sent } = await read();
    expect(rows).toEqual([{ ...location, id: 9, name: 'Dubai Marina', modifiedAt: new Date('2024-09-02T15:37:18Z') }]);
    expect(sent[0]?.parameters).toEqual({ entityTypeId, select, order: { id: 'ASC' }, filter: { '>id': 0 }, start: 0 });
  });

  it('are read from a time on, or from where a read stopped', async () => {
    const { sent } = await read({ changedSince: new Date('2024-09-02T15:37:18Z'), expected: 1 });
    expect(sent).toHaveLength(1);
    expect(sent[0]?.parameters.filter).toEqual({ '>=updatedTime': '2024-09-02T15:37:18+00:00', '>id': 0 });
    const { sent: resumed } = await read({ from: { after: 5, read: 0, total: undefined }, expected: 1 });
    expect(resumed[0]?.parameters.filter).toEqual({ '>id': 5 });
  });
});

describe('one location', () => {
  it('is read by its id; undefined when there is none', async () => {
    const { locations, sent } = open({
      'crm.item.get': ({ id }) => (id === 9 ? { result: { item: item(9) } } : missing),
    });
    expect(await locations.get(9)).toMatchObject({ id: 9, type: 'community' });
    expect(await locations.get(8)).toBeUndefined();
    expect(sent[0]?.parameters).toEqual({ entityTypeId, id: 9 });
  });

  it('is found by its portal id or its title', async () => {
    const { locations, sent } = open({ 'crm.item.list': () => ({ result: { items: [item(9), item(10)] } }) });
    expect((await locations.findByPortalId('50')).map(({ id }) => id)).toEqual([9, 10]);
    await locations.findByTitle('Dubai');
    expect(sent.map(({ parameters }) => parameters)).toEqual([
      { entityTypeId, select, filter: { '=ufCrm8PortalId': '50' }, order: { id: 'ASC' } },
      { entityTypeId, select, filter: { '=title': 'Dubai' }, order: { id: 'ASC' } },
    ]);
  });

  it('is found by its portal id together with others, whatever its other fields are', async () => {
    const { locations, sent } = open({
      'crm.item.list': ({ filter }) => ({
        result: { items: Object(filter)['=ufCrm8PortalId'] === '50' ? [{ id: 9 }, { id: 10 }] : [] },
      }),
    });
    expect(await locations.idsByPortalId(['50', '51'])).toEqual(new Map([['50', [9, 10]]]));
    expect(sent).toHaveLength(2);
    expect(sent[0]).toMatchObject({ class: 'read', batch: 2, parameters: { entityTypeId, select: ['id'], start: -1 } });
    const { locations: denied } = open({ 'crm.item.list': () => ({ error: ['ACCESS_DENIED', 'Access denied'] }) });
    await expect(denied.idsByPortalId(['50'])).rejects.toThrow('The CRM rejected');
  });

  it('exists with fields in an unexpected form', async () => {
    const { locations } = open({ 'crm.item.get': ({ id }) => (id === 9 ? { result: { item: {} } } : missing) });
    expect(await locations.exists(9)).toBe(true);
    expect(await locations.exists(8)).toBe(false);
  });

  it('is added', async () => {
    const { locations, sent } = open({ 'crm.item.add': () => ({ result: { item: item(9) } }) });
    expect(await locations.add(location)).toMatchObject({ id: 9 });
    expect(sent).toEqual([{ class: 'create', method: 'crm.item.add', parameters: { entityTypeId, fields } }]);
    const { locations: denied } = open({ 'crm.item.add': () => ({ error: ['X', 'No title'] }) });
    await expect(denied.add(location)).rejects.toMatchObject({ code: 'invalid-input' });
  });
});

describe('many locations', () => {
  it('are added in one request, in order', async () => {
    let next = 0;
    const { locations, sent } = open({
      'crm.item.add': () => {
        next += 1;
        return { result: { item: { id: next } } };
      },
    });
    const added = await locations.addSome(Array(50).fill(location));
    expect([added.length, added.at(-1)]).toEqual([50, { id: 50 }]);
    expect(sent[0]).toMatchObject({ class: 'create', batch: 50, parameters: { entityTypeId, fields } });
  });

  it('have the outcome of each addition', async () => {
    const failure = rejection('X', 'x', 500);
    const { locations } = open({
      'crm.item.add': ({ fields: given }) => {
        const { title } = Object(given);
        if (title === 'rejected') return { error: ['X', 'No <b>title</b>'] };
        return title === 'failed' ? { failure } : { result: { item: { id: '7' } } };
      },
    });
    const titled = ['added', 'rejected', 'failed'].map(title => ({ ...location, title }));
    expect(await locations.addSome(titled)).toEqual([{ id: 7 }, { rejected: 'No title' }, { failed: failure }]);
  });

  it('are changed in one request', async () => {
    const { locations, sent } = open({
      'crm.item.update': ({ id }) =>
        id === 1 ? { result: { item: {} } } : id === 2 ? missing : { error: ['X', 'No <b>parent</b>'] },
    });
    const changes = [1, 2, 3].map(id => ({ id, change: { parentId: 5 } }));
    expect(await locations.updateSome(changes)).toEqual(['updated', 'not-found', { rejected: 'No parent' }]);
    expect(sent[0]).toEqual({
      class: 'set',
      method: 'crm.item.update',
      batch: 3,
      parameters: { entityTypeId, id: 1, fields: { ufCrm8Parent: 5 } },
    });
  });

  it('are an error when a change remains undone', async () => {
    const failure = rejection('X', 'x', 500);
    const { locations } = open({ 'crm.item.update': () => ({ failure }) });
    await expect(locations.updateSome([{ id: 1, change: {} }])).rejects.toBe(failure);
  });
});
