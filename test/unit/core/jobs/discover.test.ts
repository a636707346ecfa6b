import { describe, expect, it, vi } from 'vitest';
import { kindOfJobId, newJobId } from '../../../../core/jobs/contract.ts';
import { discoverContracts, discoverHandlers } from '../../../../core/jobs/discover.ts';
import { createModuleFolder } from '../../../support/module-folder.ts';

// Handlers load the browser's driver and the image library, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const contract = (kind: string) => `{ kind: '${kind}', payload: {}, result: {} }`;
const handler = (kind: string) => `{ job: ${contract(kind)}, config: {}, open() {} }`;

describe('discovering contracts', () => {
  it('finds one in each folder, by its kind', async () => {
    const folder = createModuleFolder({
      'pdf/contract.js': contract('pdf'),
      'mail/contract.js': contract('mail'),
    });
    expect([...(await discoverContracts(folder)).keys()]).toEqual(['mail', 'pdf']);
  });

  it('refuses a contract of another kind than its folder says', async () => {
    const folder = createModuleFolder({ 'pdf/contract.js': contract('mail') });
    await expect(discoverContracts(folder)).rejects.toThrow(/pdf\/contract\.js says its kind is mail/);
  });

  it('refuses a module that exports no contract', async () => {
    const folder = createModuleFolder({ 'pdf/contract.js': '{ kind: "pdf" }' });
    await expect(discoverContracts(folder)).rejects.toThrow(/pdf\/contract\.js must export a job contract/);
  });
});

describe('discovering handlers', () => {
  it('finds all, or the named ones', async () => {
    const folder = createModuleFolder({
      'pdf/handler.js': handler('pdf'),
      'mail/handler.js': handler('mail'),
    });
    const kinds = async (named: string[]) =>
      (await discoverHandlers(named, folder)).map(({ job }) => job.kind);
    expect(await kinds([])).toEqual(['mail', 'pdf']);
    expect(await kinds(['pdf'])).toEqual(['pdf']);
  });

  it('loads nothing of those that were not named', async () => {
    const folder = createModuleFolder({
      'pdf/handler.js': '(() => { throw new Error("was loaded"); })()',
      'mail/handler.js': handler('mail'),
    });
    expect(await discoverHandlers(['mail'], folder)).toHaveLength(1);
    await expect(discoverHandlers([], folder)).rejects.toThrow('was loaded');
  });

  it('refuses a name that no queue has', async () => {
    const folder = createModuleFolder({ 'pdf/handler.js': handler('pdf') });
    await expect(discoverHandlers(['pdf', 'pfd'], folder)).rejects.toThrow('There is no queue named pfd.');
  });

  it('refuses a handler of another kind than its folder says', async () => {
    const folder = createModuleFolder({ 'pdf/handler.js': handler('mail') });
    await expect(discoverHandlers([], folder)).rejects.toThrow(/pdf\/handler\.js says its kind is mail/);
  });
});

describe('the jobs of the service', () => {
  it('have a contract for every handler, and a kind that their ids can carry', async () => {
    const contracts = await discoverContracts();
    const handlers = await discoverHandlers([]);
    expect(handlers.map(({ job }) => job.kind)).toEqual([...contracts.keys()]);
    for (const kind of contracts.keys()) expect(kindOfJobId(newJobId(kind))).toBe(kind);
  });

  it('are tried at least three times: PostgreSQL may cut an attempt short that did nothing wrong', async () => {
    for (const { attempts } of (await discoverContracts()).values())
      expect(attempts).toBeGreaterThanOrEqual(3);
  });
});
