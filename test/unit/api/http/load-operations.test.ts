import { describe, expect, it } from 'vitest';
import { loadOperations } from '../../../../api/http/load-operations.ts';
import { createModuleFolder } from '../../../support/module-folder.ts';

const operation = (id: string, method: string, path: string) =>
  `{ summary: 'It does.', id: '${id}', route: '${method} ${path}', scope: null, request: {}, answers: {},
     handle: async () => ({ status: 200 }) }`;

describe('loading operations', () => {
  it('loads the operation of each module, grouped by folder', async () => {
    const folder = createModuleFolder({
      'links/create.js': operation('links.create', 'POST', '/links'),
      'crm/create.js': operation('crm.create', 'POST', '/leads'),
      'crm/list.js': operation('crm.list', 'GET', '/leads'),
    });
    const found = (await loadOperations(folder)).map(({ id, group }) => ({ id, group }));
    expect(found).toEqual([
      { id: 'crm.create', group: 'crm' },
      { id: 'crm.list', group: 'crm' },
      { id: 'links.create', group: 'links' },
    ]);
  });

  it('rejects a duplicate id and names both files', async () => {
    const folder = createModuleFolder({
      'links/a.js': operation('links.create', 'POST', '/links'),
      'links/b.js': operation('links.create', 'POST', '/others'),
    });
    await expect(loadOperations(folder)).rejects.toThrow(/links\/b\.js and .*links\/a\.js both define links\.create/);
  });

  it('rejects a duplicate path, ignoring parameter names', async () => {
    const folder = createModuleFolder({
      'links/a.js': operation('links.get', 'GET', '/links/{id}/clicks'),
      'links/b.js': operation('links.find', 'GET', '/links/{linkId}/clicks'),
    });
    await expect(loadOperations(folder)).rejects.toThrow(/b\.js and .*a\.js both define GET \/links\/\{\}\/clicks/);
  });

  it('accepts two methods on one path', async () => {
    const folder = createModuleFolder({
      'links/a.js': operation('links.get', 'GET', '/links/{id}'),
      'links/b.js': operation('links.delete', 'DELETE', '/links/{id}'),
    });
    expect(await loadOperations(folder)).toHaveLength(2);
  });

  it.each([
    ['is not an operation', `{ route: 'GET /links' }`],
    ['is a list of operations', `[${operation('links.get', 'GET', '/links/{id}')}]`],
  ])('rejects a default export that %s', async (_, exported) => {
    const folder = createModuleFolder({ 'links/a.js': exported });
    await expect(loadOperations(folder)).rejects.toThrow(/links\/a\.js must export one operation/);
  });
});

describe('the operations of the service', () => {
  it('have a summary, an id with a group, and a valid path', async () => {
    const operations = await loadOperations();
    expect(operations.length).toBeGreaterThanOrEqual(10);
    for (const { summary, id, path } of operations) {
      expect(summary).toMatch(/^[A-Z].+\.$/s);
      expect(id).toMatch(/^[a-zA-Z-]+(\.[a-zA-Z]+)+$/);
      expect(path).toMatch(/^(\/([a-z0-9.-]+|\{\w+\}))+$/);
    }
  });
});
