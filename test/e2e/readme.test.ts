/** Commands of the README that need no running service; `start.test.ts` runs the others. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { rootFolder } from '../../core/runtime/discover.ts';
import { type ServiceProcess, startProcess } from '../support/processes.ts';
import { fileOfScript, runInShell } from '../support/readme.ts';
import { removeServer, temporaryFolder } from '../support/test-postgres.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let dataDir: string;
let demo: ServiceProcess;

beforeAll(async () => {
  dataDir = await temporaryFolder();
  // It mostly waits for the rate limits of the sandbox, so the other tests run meanwhile.
  demo = startProcess(fileOfScript('demo'), { env: { DATA_DIR: dataDir }, leader: true });
});
afterAll(async () => {
  if (demo?.isAlive()) demo.kill('SIGTERM');
  await demo?.ended;
  await removeServer(path.join(dataDir, 'demo'));
});

it('npm run bench lists the benchmarks', async () => expect(await runInShell('npm run bench')).toMatch(/pdf-latency/));

it('npm run client:build builds a package that can be imported', async () => {
  await runInShell('npm run client:build');
  const names = await runInShell('node -e "import(\'portal-service-client\').then(m => console.log(Object.keys(m)))"');
  expect(names).toContain('createPortalClient');
});

it('npm run demo exits with 0 and writes brochures and reports to out/', async () => {
  expect(await demo.ended).toBe(0);
  const files = [...demo.output().matchAll(/^ {2}(out\/\S+)$/gm)].map(([, file = '']) => file);
  expect(files).toHaveLength(7);
  for (const file of files) expect(readFileSync(path.join(rootFolder, file)).length).toBeGreaterThan(100);
});
