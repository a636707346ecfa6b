import { describe, expect, it } from 'vitest';
import { loadOperations } from '../../../../api/http/load-operations.ts';
import { folderOfModules } from '../../../support/module-folder.ts';

const operation = (id: string, method: string, path: string) =>
  `{ summary: 'It does.', id: '${id}', method: '${method}', path: '${path}', scope: null, request: {}, answers: {},
     handle: async () => ({ status: 200 }) }`;

describe('loading operations', () => {
  it('finds one or several in each module and tags them with their folder', async () => {
    const folder = folderOfModules({
      'links/create.js': operation('links.create', 'POST', '/links'),
      'crm/leads.js': `[${operation('crm.list', 'GET', '/leads')}, ${operation('crm.create', 'POST', '/leads')}]`,
    });
    const found = (await loadOperations(folder)).map(({ id, group }) => ({ id, group }));
    expect(found).toEqual([
      { id: 'crm.list', group: 'crm' },
      { id: 'crm.create', group: 'crm' },
      { id: 'links.create', group: 'links' },
    ]);
  });

  it('refuses two operations of one id, naming both files', async () => {
    const folder = folderOfModules({
      'links/a.js': operation('links.create', 'POST', '/links'),
      'links/b.js': operation('links.create', 'POST', '/others'),
    });
    await expect(loadOperations(folder)).rejects.toThrow(
      /links\/b\.js and .*links\/a\.js both define links\.create/,
    );
  });

  it('refuses two operations of one path, also when their parameters have other names', async () => {
    const folder = folderOfModules({
      'links/a.js': operation('links.get', 'GET', '/links/{id}/clicks'),
      'links/b.js': operation('links.find', 'GET', '/links/{linkId}/clicks'),
    });
    await expect(loadOperations(folder)).rejects.toThrow(
      /b\.js and .*a\.js both define GET \/links\/\{\}\/clicks/,
    );
  });

  it('lets two methods share a path', async () => {
    const folder = folderOfModules({
      'links/a.js': operation('links.get', 'GET', '/links/{id}'),
      'links/b.js': operation('links.delete', 'DELETE', '/links/{id}'),
    });
    expect(await loadOperations(folder)).toHaveLength(2);
  });

  it('refuses a module that is no operation: a forgotten export must not go unnoticed', async () => {
    const folder = folderOfModules({ 'links/a.js': `{ path: '/links' }` });
    await expect(loadOperations(folder)).rejects.toThrow(/links\/a\.js must export/);
  });
});

describe('the operations of the service', () => {
  it('each have one sentence, an id of their group, and a path that begins with a slash', async () => {
    const operations = await loadOperations();
    expect(operations.length).toBeGreaterThanOrEqual(10);
    for (const { summary, id, path } of operations) {
      expect(summary).toMatch(/^[A-Z].+\.$/s);
      expect(id).toMatch(/^[a-zA-Z-]+(\.[a-zA-Z]+)+$/);
      expect(path).toMatch(/^(\/([a-z0-9.-]+|\{\w+\}))+$/);
    }
  });
});
