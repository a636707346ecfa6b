/** Which source serves a vendor system: the vendor, the sandbox, or none. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { CallBudgets } from '../../../../../core/integrations/kit/call-budget.ts';
import { openIntegrationContext } from '../../../../../core/integrations/kit/context.ts';
import { defineSystem, discoverSystems, systemConfigs } from '../../../../../core/integrations/kit/define-system.ts';
import { failure } from '../../../../../core/runtime/finding.ts';
import { createModuleFolder } from '../../../../support/module-folder.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const folder = temporaryFolder();

/** Its client contains its settings, and whether the sandbox serves it. */
const ledger = defineSystem({
  name: 'ledger',
  title: 'The ledger',
  config: z.object({ LEDGER_URL: z.string(), LEDGER_KEY: z.string().optional() }),
  configuredBy: 'LEDGER_URL',
  sandbox: base => ({ LEDGER_URL: base, LEDGER_KEY: 'sandbox' }),
  open: (config, { sandbox }) => ({ ...config, sandbox }),
  probe: async () => undefined,
});

const budgets: CallBudgets = { take: async () => undefined, block: async () => undefined };

function at(env: Record<string, string>, sandboxUrl: string | undefined) {
  return ledger.client(openIntegrationContext({ env, sandboxUrl, budgets, logger: pino({ level: 'silent' }) }));
}

function fileWith(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe('a vendor system', () => {
  const url = 'https://ledger.example.com';
  const sandbox = 'http://127.0.0.1:9100';

  it('is configured when its address comes from a file or the environment', () => {
    const env = {
      LEDGER_URL_FILE: fileWith('url', `${url}\n`),
      LEDGER_KEY_FILE: fileWith('key', 'secret\n'),
    };
    expect(at(env, sandbox)).toEqual({ LEDGER_URL: url, LEDGER_KEY: 'secret', sandbox: false });
    expect(at({ LEDGER_URL: url }, undefined)).toEqual({ LEDGER_URL: url, sandbox: false });
  });

  it('without an address is served by the sandbox, with the sandbox’s settings only', () => {
    const env = { LEDGER_URL_FILE: fileWith('empty', ''), LEDGER_KEY_FILE: fileWith('key', 'secret\n') };
    const served = { LEDGER_URL: `${sandbox}/ledger`, LEDGER_KEY: 'sandbox', sandbox: true };
    expect(at(env, sandbox)).toEqual(served);
  });

  it('without address and sandbox is an error with its name', () => {
    expect(() => at({}, undefined)).toThrow('The ledger is not configured here: LEDGER_URL is not set.');
    expect(() => at({}, undefined)).toThrow(
      expect.objectContaining({ code: 'system-not-configured', retryAfterSeconds: 3_600 }),
    );
  });
});

describe('the client', () => {
  const definition = {
    name: 'ledger',
    title: 'The ledger',
    configuredBy: 'LEDGER_URL' as const,
    config: z.object({ LEDGER_URL: z.string() }),
    sandbox: (base: string, databaseUrl: string | undefined) => ({ LEDGER_URL: `${base} ${databaseUrl}` }),
  };
  const contextWith = (env: Record<string, string> = { LEDGER_URL: 'x' }, sandboxUrl?: string) =>
    openIntegrationContext({ env, sandboxUrl, budgets, databaseUrl: 'ours', logger: pino({ level: 'silent' }) });

  it('is opened once for each context, with the tools of the system', () => {
    const open = vi.fn((_, { system }) => ({ system }));
    const system = defineSystem({ ...definition, open });
    const context = contextWith();
    expect(system.client(context)).toEqual({ system: { name: 'ledger', title: 'The ledger', setting: 'LEDGER_URL' } });
    expect(system.client(context)).toBe(system.client(context));
    expect(open).toHaveBeenCalledTimes(1);
    system.client(contextWith());
    expect(open).toHaveBeenCalledTimes(2);
  });

  it('may be a value that counts as false', () => {
    const open = vi.fn(() => undefined);
    const system = defineSystem({ ...definition, open });
    const context = contextWith();
    system.client(context);
    system.client(context);
    expect(open).toHaveBeenCalledTimes(1);
  });

  it('is served by the system of the sandbox that the definition names, next to our database', () => {
    const system = defineSystem({ ...definition, sandboxName: 'books', open: config => config });
    expect(system.client(contextWith({}, 'http://127.0.0.1:9100'))).toEqual({
      LEDGER_URL: 'http://127.0.0.1:9100/books ours',
    });
  });

  it('is probed and checked where the definition says how', async () => {
    const finding = failure('wrong', 'correct it');
    const probe = vi.fn(async () => 'unused');
    const checked = defineSystem({ ...definition, open: () => 'client', probe, checkSettings: async () => [finding] });
    expect(await checked.probe(contextWith())).toBeUndefined();
    expect(probe).toHaveBeenCalledWith('client');
    expect(await checked.checkSettings(contextWith())).toEqual([finding]);
  });

  it('is only opened where the definition does not say how to check it', async () => {
    const open = vi.fn(() => 'client');
    const unchecked = defineSystem({ ...definition, open });
    expect(await unchecked.probe(contextWith())).toBeUndefined();
    expect(await unchecked.checkSettings(contextWith())).toEqual([]);
  });

  it('is not probed without settings', async () => {
    const system = defineSystem({ ...definition, open: () => 'client', probe: async () => undefined });
    await expect(system.probe(contextWith({}))).rejects.toMatchObject({ code: 'system-not-configured' });
  });
});

describe('the systems', () => {
  it('are those of the folders, with their settings', async () => {
    const systems = await discoverSystems();
    expect(systems.map(({ name }) => name)).toEqual([
      'activity-log',
      'chat-bot',
      'crm',
      'directory',
      'dnc-registry',
      'employee-records',
      'events',
      'listing-portal',
      'property-projects',
      'sms-gateway',
    ]);
    expect(await systemConfigs()).toEqual(systems.map(({ config }) => config));
  });

  it('are loaded from any folder', async () => {
    const folder = createModuleFolder({ 'books/system.js': '{ name: "books", client: 1, configuredBy: "X" }' });
    expect(await discoverSystems(folder)).toEqual([{ name: 'books', client: 1, configuredBy: 'X' }]);
  });

  it.each([
    ['{ name: "books", configuredBy: "X" }', 'must export a system by default'],
    ['{ name: "ledger", client: 1, configuredBy: "X" }', 'the name must be "books"; it is "ledger"'],
  ])('are an error when a folder has %s', async (exported, message) => {
    const folder = createModuleFolder({ 'books/system.js': exported });
    await expect(discoverSystems(folder)).rejects.toThrow(message);
  });
});
