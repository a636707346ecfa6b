import { describe, expect, it, vi } from 'vitest';
import { kindOfJobId, newJobId } from '../../../../core/jobs/contract.ts';
import { discoverContracts, discoverHandlers } from '../../../../core/jobs/discover.ts';
import { createModuleFolder } from '../../../support/module-folder.ts';

// Handlers load the browser driver and the image library, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const contract = (kind: string) => `{ kind: '${kind}', payload: {}, result: {} }`;
const handler = (kind: string) => `{ job: ${contract(kind)}, config: {}, open() {} }`;

describe('discovering contracts', () => {
  it('loads one per folder', async () => {
    const folder = createModuleFolder({ 'pdf/contract.js': contract('pdf'), 'mail/contract.js': contract('mail') });
    expect([...(await discoverContracts(folder)).keys()]).toEqual(['mail', 'pdf']);
  });

  it('rejects a contract whose kind is not the name of its folder', async () => {
    const folder = createModuleFolder({ 'pdf/contract.js': contract('mail') });
    await expect(discoverContracts(folder)).rejects.toThrow(
      /pdf\/contract\.js: the kind must be pdf, the name of the folder; it is mail/,
    );
  });

  it('rejects a module without a contract', async () => {
    const folder = createModuleFolder({ 'pdf/contract.js': '{ kind: "pdf" }' });
    await expect(discoverContracts(folder)).rejects.toThrow(/pdf\/contract\.js must export a job contract/);
  });
});

describe('discovering handlers', () => {
  it('loads all, or the named ones', async () => {
    const folder = createModuleFolder({ 'pdf/handler.js': handler('pdf'), 'mail/handler.js': handler('mail') });
    const kinds = async (named: string[]) => (await discoverHandlers(named, folder)).map(({ job }) => job.kind);
    expect(await kinds([])).toEqual(['mail', 'pdf']);
    expect(await kinds(['pdf'])).toEqual(['pdf']);
    expect(await kinds(['pdf', 'mail'])).toEqual(['mail', 'pdf']);
  });

  it('does not load other handlers than the named ones', async () => {
    const folder = createModuleFolder({
      'pdf/handler.js': '(() => { throw new Error("was loaded"); })()',
      'mail/handler.js': handler('mail'),
    });
    expect(await discoverHandlers(['mail'], folder)).toHaveLength(1);
    await expect(discoverHandlers([], folder)).rejects.toThrow('was loaded');
  });

  it('rejects an unknown kind', async () => {
    const folder = createModuleFolder({ 'pdf/handler.js': handler('pdf') });
    await expect(discoverHandlers(['pdf', 'pfd'], folder)).rejects.toThrow('No queue is named pfd.');
    await expect(discoverHandlers(['pfd', 'mial'], folder)).rejects.toThrow('No queue is named pfd, mial.');
  });

  it.each([
    ['without a contract', '{ config: {}, open() {} }'],
    ['with a contract that has no payload', '{ job: { kind: "pdf" }, open() {} }'],
    ['that cannot be opened', `{ job: ${contract('pdf')}, config: {} }`],
  ])('rejects a handler %s', async (_, exported) => {
    const folder = createModuleFolder({ 'pdf/handler.js': exported });
    await expect(discoverHandlers([], folder)).rejects.toThrow(/pdf\/handler\.js must export a job handler/);
  });

  it('rejects a handler whose kind is not the name of its folder', async () => {
    const folder = createModuleFolder({ 'pdf/handler.js': handler('mail') });
    await expect(discoverHandlers([], folder)).rejects.toThrow(
      /pdf\/handler\.js: the kind must be pdf, the name of the folder; it is mail/,
    );
  });
});

describe('the jobs of the service', () => {
  it('have a contract for every handler, and a kind that their ids can contain', async () => {
    const contracts = await discoverContracts();
    const handlers = await discoverHandlers([]);
    expect(handlers.map(({ job }) => job.kind)).toEqual([...contracts.keys()]);
    for (const kind of contracts.keys()) expect(kindOfJobId(newJobId(kind))).toBe(kind);
  });

  it('have at least three attempts, because a restart of PostgreSQL may end one', async () => {
    for (const { attempts } of (await discoverContracts()).values()) expect(attempts).toBeGreaterThanOrEqual(3);
  });
});
