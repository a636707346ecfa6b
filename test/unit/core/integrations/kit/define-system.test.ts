/** Which source serves a vendor system: the vendor, the sandbox, or none. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CallBudgets } from '../../../../../core/integrations/kit/call-budget.ts';
import { openIntegrationContext } from '../../../../../core/integrations/kit/context.ts';
import { defineSystem } from '../../../../../core/integrations/kit/define-system.ts';
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
  });
});
