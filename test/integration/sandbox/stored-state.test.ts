/** The sandbox keeps what was changed in it, across restarts. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../../core/runtime/free-port.ts';
import { startProcess } from '../../support/processes.ts';
import { sandboxControl } from '../../support/sandbox.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const dataDir = temporaryFolder();

async function start(port: number) {
  const sandbox = startProcess('sandbox/main.ts', { env: { DATA_DIR: dataDir, SANDBOX_PORT: String(port) } });
  onTestFinished(() => {
    if (sandbox.isAlive()) sandbox.kill('SIGKILL');
  });
  const url = await sandbox.ready;
  return { sandbox, url, control: sandboxControl(url) };
}
const crm = async (url: string, call: string): Promise<unknown> =>
  (await fetch(`${url}/crm/rest/1/sandbox/${call}`)).json();

it('keeps changed rows and settings across a restart, until a reset', async () => {
  const port = await freePort();
  const first = await start(port);
  const { result: id } = z
    .object({ result: z.number() })
    .parse(await crm(first.url, 'crm.lead.add?fields[TITLE]=Kept'));
  await first.control.settings('crm', { callLimit: false });
  await first.control.data('listing-portal', 'locations', 'halve');
  const { count } = await first.control.rows('listing-portal', 'locations');
  first.sandbox.kill('SIGTERM');
  await first.sandbox.ended;
  expect(readdirSync(path.join(dataDir, 'sandbox')).sort()).toEqual([
    'crm.leads.json',
    'crm.settings.json',
    'listing-portal.locations.json',
  ]);

  const second = await start(port);
  expect(await crm(second.url, `crm.lead.get?id=${id}`)).toMatchObject({ result: { TITLE: 'Kept' } });
  expect((await second.control.rows('listing-portal', 'locations')).count).toBe(count);
  const reset = startProcess('sandbox/main.ts', {
    args: ['--reset'],
    env: { DATA_DIR: dataDir, SANDBOX_PORT: String(port) },
  });
  expect(await reset.ended).toBe(0);
  expect((await second.control.rows('listing-portal', 'locations')).count).toBeGreaterThan(count);
  second.sandbox.kill('SIGTERM');
  await second.sandbox.ended;
  expect(readdirSync(path.join(dataDir, 'sandbox'))).toEqual([]);
});
