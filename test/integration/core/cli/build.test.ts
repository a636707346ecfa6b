import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../../../core/runtime/free-port.ts';
import { countPages } from '../../../../workers/pdf/print/pdf-file.ts';
import { linkBrowserFolder, type ServiceProcess, startProcess, stopProcesses } from '../../../support/processes.ts';
import { productionPackages, shipService } from '../../../support/shipped-service.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import type { TestDatabase } from '../../../support/test-postgres.ts';

const run = promisify(execFile);

const shipped = temporaryFolder();
const dist = path.join(shipped, 'dist');
const secret = randomUUID() + randomUUID();
let database: TestDatabase;
let api: ServiceProcess;
let worker: ServiceProcess;
let base: string;

/** The environment of one process with its own temporary folder, as in a container. */
function settings(process: string, port: number): Record<string, string> {
  const dataDir = path.join(shipped, 'data');
  const own = path.join(shipped, `${process}-tmp`);
  const secretFile = (name: string, value: string): string => {
    const file = path.join(own, name);
    writeFileSync(file, `${value}\n`);
    return file;
  };
  mkdirSync(own, { recursive: true });
  return {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://portal.example',
    PORT: String(port),
    DATA_DIR: dataDir,
    TMPDIR: own,
    DATABASE_URL_FILE: secretFile('database_url', database.url),
    BOOTSTRAP_CLIENT_ID: 'portal',
    BOOTSTRAP_CLIENT_SECRET_FILE: secretFile('bootstrap_client_secret', secret),
  };
}

let environments: Record<'api' | 'worker', Record<string, string>>;

const startBoth = (env: typeof environments): [ServiceProcess, ServiceProcess] => [
  startProcess('dist/api/main.js', { env: env.api, shipped }),
  startProcess('dist/workers/main.js', { env: env.worker, args: ['pdf', 'pdf-preview'], shipped }),
];

beforeAll(async () => {
  database = await createTestDatabase('build');
  await shipService(shipped);
  mkdirSync(path.join(shipped, 'data'));
  linkBrowserFolder(path.join(shipped, 'data'));
  const port = await freePort();
  const metricsPort = String(await freePort());
  environments = {
    api: { ...settings('api', port), METRICS_PORT: String(await freePort()) },
    worker: { ...settings('worker', port), METRICS_PORT: metricsPort },
  };
  [api, worker] = startBoth(environments);
  base = `${await api.ready}/v2`;
  await worker.ready;
});
afterAll(async () => {
  await stopProcesses([api, worker].filter(Boolean));
  await database.drop();
});

const filesOf = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' });

/** Packages that others use when they are installed; the service does not. */
const optional = ['pg-native', '@valkey/valkey-glide', 'supports-color', 'node:sqlite', '@aws-sdk/signature-v4-crt'];

describe('the built service', () => {
  it('contains only files that can be loaded, also those of parts that are off here', () => {
    const files = filesOf(dist).filter(file => file.endsWith('.js'));
    expect(files.some(file => /s3-store-\w+\.js$/.test(file))).toBe(true);
    const broken = files.filter(file => {
      try {
        transformSync(readFileSync(path.join(dist, file), 'utf8'), { format: 'esm', logLevel: 'silent' });
        return false;
      } catch {
        return true;
      }
    });
    expect(broken).toEqual([]);
  });

  it('is JavaScript that bundles and imports production packages only', () => {
    const files = filesOf(dist);
    const textOf = (file: string) => readFileSync(path.join(dist, file), 'utf8');
    const required = files
      .filter(file => file.endsWith('.js'))
      .flatMap(file => [...textOf(file).matchAll(/(?:^import .*|^export .*|^\} from |require\d*\()"([^".\n]+)"/gm)])
      .map(([, name = '']) => name)
      .filter(name => !isBuiltin(name))
      .map(name => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
      .filter(name => !optional.includes(name));
    const bundled = files
      .filter(file => file.endsWith('.js.map'))
      .flatMap(file => z.object({ sources: z.array(z.string()) }).parse(JSON.parse(textOf(file))).sources)
      .flatMap(source => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [])
      // Drizzle's own source maps name its sources like this.
      .filter(name => name !== 'src');
    expect(required).toContain('sharp');
    expect(bundled).toContain('fastify');
    expect([...new Set([...required, ...bundled])].filter(name => !productionPackages.includes(name))).toEqual([]);
    expect(files.filter(file => /\.[cm]?ts$/.test(file))).toEqual([]);
    expect(files.filter(file => /_snapshot\.json$|^demo\//.test(file))).toEqual([]);
    expect(existsSync(path.join(shipped, 'node_modules', 'vitest'))).toBe(false);
    expect(existsSync(path.join(shipped, 'node_modules', 'fastify'))).toBe(true);
  });

  it('reports that it is ready, and its health checks pass', async () => {
    // On a busy machine, a part may take longer for its first answer than the check waits.
    const ready = async () => {
      const { status, headers } = await fetch(`${base}/health/ready`);
      return [status, headers.get('content-type')];
    };
    await expect.poll(ready).toEqual([200, 'application/health+json']);
    const check = (env: Record<string, string>) =>
      run(process.execPath, [path.join(dist, 'core/cli/health-check.js')], { env });
    await expect(check(environments.api)).resolves.toBeDefined();
    await expect.poll(() => check(environments.worker).then(() => 'healthy', String)).toBe('healthy');
    const metricsOf = async ({ METRICS_PORT }: Record<string, string>) =>
      await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text();
    const ofWorker = await metricsOf(environments.worker);
    expect(ofWorker).toMatch(/^process_cpu_seconds_total\{process="worker"\} /m);
    expect(ofWorker).not.toContain('portal_database_up');
    const ofApi = await metricsOf(environments.api);
    expect(ofApi).toMatch(/^process_cpu_seconds_total\{process="api"\} /m);
    // The metrics of the service have no process.
    expect(ofApi).toMatch(/^portal_database_up 1$/m);
    expect(ofApi).toMatch(/^portal_workers\{kind="pdf"\} 1$/m);
    const unused = { ...environments.api, METRICS_PORT: String(await freePort()) };
    await expect(check(unused)).rejects.toMatchObject({ code: 1 });
  });

  it('prints both designs for a client with a secret from a file', async () => {
    const { access_token } = z.object({ access_token: z.string() }).parse(
      await (
        await fetch(`${base}/oauth/token`, {
          method: 'POST',
          headers: { authorization: `Basic ${Buffer.from(`portal:${secret}`).toString('base64')}` },
          body: new URLSearchParams({ grant_type: 'client_credentials' }),
        })
      ).json(),
    );
    const listing = { reference_number: 'B-1', title_en: 'Villa by the sea', price: '14750000' };
    const print = async (design: string): Promise<Buffer> => {
      const answer = await fetch(`${base}/apps/portal/v1/${design}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${access_token}`,
          accept: 'application/pdf',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ list: [listing] }),
      });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf']);
      return Buffer.from(await answer.arrayBuffer());
    };
    const [classic, modern] = await Promise.all([print('pdf'), print('pdf-new')]);
    expect(classic.subarray(0, 5).toString()).toBe('%PDF-');
    expect([countPages(classic), countPages(modern)]).toEqual([1, 2]);
  });

  it('shuts down on SIGTERM with exit code 0', async () => {
    const freshPorts = async () => ({ PORT: String(await freePort()), METRICS_PORT: String(await freePort()) });
    const stopped = startBoth({
      api: { ...environments.api, ...(await freshPorts()) },
      worker: { ...environments.worker, ...(await freshPorts()) },
    });
    await Promise.all(stopped.map(({ ready }) => ready));
    for (const one of stopped) one.kill('SIGTERM');
    expect(await Promise.all(stopped.map(({ ended }) => ended))).toEqual([0, 0]);
    expect(stopped.map(one => one.output()).join('')).not.toMatch(/tsx|\.ts:\d+/);
  });
});
