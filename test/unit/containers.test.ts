/** Dockerfile and docker-compose.yml match the code: the files and settings they name exist, and containers are restricted. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ApiConfig, proxyAddresses } from '../../api/config.ts';
import { configDeclarations, variablesOf } from '../../core/doctor/checks/configuration.ts';
import { otherConnections } from '../../core/postgres/connections.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

const Service = z.object({
  build: z.object({ target: z.string() }).optional(),
  image: z.string(),
  command: z.array(z.string()).default([]),
  profiles: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.coerce.string()).default({}),
  secrets: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  tmpfs: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  restart: z.string(),
  read_only: z.boolean(),
  cap_drop: z.array(z.string()),
  security_opt: z.array(z.string()),
  mem_limit: z.string(),
  cpus: z.number(),
  stop_grace_period: z.string(),
  user: z.string().optional(),
});
type Service = z.infer<typeof Service>;

/** The pool, and up to five for LISTEN and migrations. */
const connectionsPerProcess = 15;

const compose = z
  .object({
    services: z.record(z.string(), Service),
    networks: z.record(z.string(), z.object({ internal: z.boolean().optional() })),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
    volumes: z.record(z.string(), z.null()),
  })
  .parse(parse(withDefaults(read('docker-compose.yml')), { merge: true }));

/** Replaces `${NAME:-default}` by its default, as Compose does for variables that are not set. */
function withDefaults(text: string): string {
  return text.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
}

const services = Object.entries(compose.services);
const ours = services.filter(([, { build }]) => build !== undefined);
const queuesOf = ({ command: [file, ...kinds] }: Service): string[] => (file === 'dist/workers/main.js' ? kinds : []);

const dockerfile = read('Dockerfile').replace(/\\\n/g, ' ').split('\n');
const instructions = (name: string): string[] =>
  dockerfile.filter(line => line.startsWith(`${name} `)).map(line => line.slice(name.length + 1).trim());

/** The source of a file of the build; undefined without one. */
function sourceOf(built: string): string | undefined {
  const source = built.replace(/^dist\//, '').replace(/\.js$/, '.ts');
  return built.startsWith('dist/') && existsSync(path.join(root, source)) ? source : undefined;
}

describe('docker-compose.yml', () => {
  it('runs every kind of job in exactly one worker service', () => {
    const kinds = readdirSync(path.join(root, 'workers')).filter(folder =>
      existsSync(path.join(root, 'workers', folder, 'contract.ts')),
    );
    expect(kinds).toContain('pdf');
    expect(ours.flatMap(([, service]) => queuesOf(service)).sort()).toEqual(kinds.sort());
  });

  it('runs files of the build', () => {
    const files = ours.map(([, { command }]) => command[0] ?? '');
    expect(files).toContain('dist/api/main.js');
    expect(files.filter(file => sourceOf(file) === undefined)).toEqual([]);
  });

  it('sets declared variables only, and mounts each secret that a variable names', async () => {
    const declared = variablesOf(await configDeclarations());
    for (const [name, { environment, secrets }] of ours) {
      const variables = Object.keys(environment).map(variable => variable.replace(/_FILE$/, ''));
      // Node.js reads it.
      const ofNode = name === 'worker-syncs' ? ['NODE_OPTIONS'] : [];
      expect(
        variables.filter(variable => !declared.has(variable)),
        name,
      ).toEqual(ofNode);
      const files = Object.entries(environment).flatMap(([variable, value]) =>
        variable.endsWith('_FILE') ? [path.posix.basename(value)] : [],
      );
      expect(files.sort(), name).toEqual([...secrets].sort());
    }
    expect(Object.keys(compose.secrets).sort()).toEqual(
      [...new Set(services.flatMap(([, { secrets }]) => secrets))].sort(),
    );
  });

  it('contains no secret', () => {
    const variables = services.flatMap(([, { environment }]) => Object.keys(environment));
    expect(variables).toContain('DATABASE_URL_FILE');
    expect(variables.filter(name => /(PASSWORD|SECRET|TOKEN|KEY|DATABASE_URL)$/.test(name))).toEqual([]);
  });

  it('runs every service read-only, without capabilities and with a memory limit', () => {
    for (const [name, service] of services) {
      expect(service, name).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expect(service.security_opt, name).toContain('no-new-privileges:true');
      expect(service.security_opt.join(), name).not.toContain('unconfined');
      expect(parseInt(service.mem_limit, 10), name).toBeGreaterThan(0);
    }
  });

  it('runs each of our containers as an ordinary user, with writable folders and time to stop', () => {
    for (const [name, service] of ours) {
      expect(service.user, name).toBe('node');
      const writable = [...service.volumes, ...service.tmpfs.map(mount => `tmpfs:${mount}`)].map(
        mount => mount.split(':')[1],
      );
      if (service.profiles.length === 0)
        expect(writable, name).toEqual(expect.arrayContaining(['/tmp', '/data', '/results']));
      expect(parseInt(service.stop_grace_period, 10), name).toBeGreaterThan(
        Number(service.environment.SHUTDOWN_GRACE_SECONDS ?? 0),
      );
    }
  });

  it('publishes the API only, on the loopback address, and has the databases on an internal network', () => {
    const usual = services.filter(([, { profiles }]) => profiles.length === 0);
    expect(usual.flatMap(([, { ports }]) => ports)).toEqual(['127.0.0.1:9000:9000']);
    for (const port of services.flatMap(([, { ports }]) => ports)) expect(port).toMatch(/^127\.0\.0\.1:/);
    expect(compose.services.proxy?.ports).toHaveLength(1);
    for (const name of ['postgres', 'valkey']) {
      const networks = compose.services[name]?.networks ?? [];
      expect(networks.map(network => compose.networks[network]?.internal)).toEqual([true]);
    }
  });

  it('has a profile with Prometheus, Alertmanager and Grafana, which scrapes every process of the service', () => {
    const profile = services.filter(([, { profiles }]) => profiles.includes('monitoring'));
    expect(profile.map(([name]) => name)).toEqual(['prometheus', 'alertmanager', 'grafana']);
    for (const [name, { volumes }] of profile)
      for (const volume of volumes.filter(each => each.startsWith('./deploy')))
        expect(existsSync(path.join(root, volume.split(':')[0] ?? '')), `${name} ${volume}`).toBe(true);
    const scraped = z
      .object({
        alerting: z.object({
          alertmanagers: z.tuple([z.object({ static_configs: z.tuple([z.object({ targets: z.array(z.string()) })]) })]),
        }),
        scrape_configs: z.tuple([
          z.object({
            job_name: z.literal('portal'),
            dns_sd_configs: z.tuple([z.object({ names: z.array(z.string()), port: z.number() })]),
          }),
        ]),
      })
      .parse(parse(read('deploy/prometheus/prometheus.yaml')));
    const [{ names, port }] = scraped.scrape_configs[0].dns_sd_configs;
    const processes = ours.filter(([, { profiles }]) => profiles.length === 0).map(([name]) => name);
    expect(names.sort()).toEqual(processes.sort());
    expect(read('Dockerfile')).toContain(`METRICS_PORT=${port} `);
    // The image listens at every address.
    for (const [name, { environment }] of ours) expect(environment.HOST ?? '0.0.0.0', name).toBe('0.0.0.0');
    expect(scraped.alerting.alertmanagers[0].static_configs[0].targets).toEqual(['alertmanager:9093']);
    expect(read('deploy/grafana/provisioning/datasources/prometheus.yaml')).toContain('http://prometheus:9090');
  });

  it('can run several API containers: the proxy in front of them finds them by name, and the API trusts it', () => {
    const { api } = compose.services;
    const proxy = read('deploy/haproxy.cfg');
    expect(compose.services.proxy?.volumes).toEqual(['./deploy/haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro']);
    expect(proxy).toContain(`api:${api?.environment.PORT} check`);
    expect(proxy).toContain('bind :9000');
    expect(compose.services.proxy?.networks).toEqual(['outside']);
    expect(api?.networks).toContain('outside');
    expect(proxyAddresses.parse(api?.environment.TRUST_PROXY)).toEqual(['172.16.0.0/12']);
    const seconds = Number(/timeout server (\d+)s/.exec(proxy)?.[1]);
    const { MAX_WAIT_SECONDS, EVENT_HEARTBEAT_MS } = ApiConfig.parse({});
    expect(seconds).toBeGreaterThan(Math.max(MAX_WAIT_SECONDS, EVENT_HEARTBEAT_MS / 1_000));
    const limit = Number(/server-template api (\d+)/.exec(proxy)?.[1]);
    expect(read('docker-compose.yml')).toContain(`At most ${limit}, see`);
  });

  it('pins every image that it does not build to a patch version', () => {
    const pulled = services.filter(([, { build }]) => build === undefined).map(([, { image }]) => image);
    expect(pulled).toHaveLength(6);
    for (const image of pulled)
      expect(image).toMatch(/^(postgres:\d+\.\d+|(haproxy|(valkey|prom|grafana)\/\w+):v?\d+\.\d+\.\d+)(-alpine)?$/);
  });

  it('has enough PostgreSQL connections for the scale that docs/production.md names', () => {
    const page = read('docs/production.md');
    const scales = new Map(
      [...page.matchAll(/--scale ([\w-]+)=(\d+)/g)].map(([, name = '', count]) => [name, Number(count)]),
    );
    expect([...scales.keys()].sort()).toEqual(['api', 'worker-brochures']);
    const scaled = ours.filter(([, { profiles }]) => !profiles.includes('sandbox'));
    const processes = scaled.reduce((sum, [name]) => sum + (scales.get(name) ?? 1), 0);
    for (const [name, { environment }] of scaled)
      expect(Number(environment.DATABASE_POOL) + otherConnections, name).toBe(connectionsPerProcess);
    const command = compose.services.postgres?.command.join(' ') ?? '';
    const max = Number(/max_connections=(\d+)/.exec(command)?.[1]);
    // Reserved for superusers, and some for pg_dump and psql.
    expect(max).toBeGreaterThanOrEqual(processes * connectionsPerProcess + 3 + 20);
    expect(page).toContain(
      `${processes - 1} processes and the doctor need ${processes * connectionsPerProcess} of ${max}`,
    );
  });

  it('has a seccomp profile for the browser that permits namespaces and forbids mounts', () => {
    const named = compose.services['worker-brochures']?.security_opt.find(option => /^seccomp=/.test(option));
    const profile = z
      .object({
        defaultAction: z.literal('SCMP_ACT_ERRNO'),
        syscalls: z.array(z.object({ names: z.array(z.string()), action: z.string() })),
      })
      .parse(JSON.parse(read(named?.split('=')[1] ?? '')));
    const allowed = profile.syscalls.flatMap(({ names, action }) => (action === 'SCMP_ACT_ALLOW' ? names : []));
    expect(allowed).toEqual(expect.arrayContaining(['clone', 'unshare', 'chroot', 'seccomp', 'futex']));
    for (const forbidden of ['mount', 'setns', 'ptrace', 'bpf', 'pivot_root', 'keyctl', 'io_uring_setup'])
      expect(allowed).not.toContain(forbidden);
  });
});

describe('the Dockerfile', () => {
  it('copies existing files that .dockerignore does not exclude', () => {
    const sources = instructions('COPY')
      .filter(line => !line.startsWith('--from='))
      .flatMap(line => line.split(/\s+/).slice(0, -1));
    expect(sources).toContain('package-lock.json');
    const missing = sources.filter(source => !source.startsWith('*') && !existsSync(path.join(root, source)));
    expect(missing).toEqual([]);
    const ignored = read('.dockerignore').split('\n');
    expect(sources.filter(source => ignored.includes(source))).toEqual([]);
    expect(ignored).toEqual(expect.arrayContaining(['.*', 'secrets', '**/node_modules']));
  });

  it('copies from the build stage the folders that it builds', () => {
    const built = instructions('COPY').filter(line => line.startsWith('--from=build '));
    const folders = built.map(line => line.split(/\s+/)[1]?.replace('/app/dist/', '') ?? '');
    expect(folders.sort()).toEqual(['api', 'core', 'sandbox', 'templates', 'third-party-notices.txt', 'workers']);
    for (const line of built)
      expect(line).toMatch(/^--from=build \/app\/(?:(dist\/\w+) \1|dist\/third-party-notices\.txt dist\/)$/);
  });

  it('removes parts of installed packages that exist', () => {
    const run = instructions('RUN').find(line => line.includes('rm -r ')) ?? '';
    const removed = run.slice(run.indexOf('rm -r ') + 6).split(/[\s\\]+/);
    expect(removed.length).toBeGreaterThan(5);
    expect(removed.filter(folder => !existsSync(path.join(root, folder)))).toEqual([]);
  });

  it('names existing files of the build only', () => {
    const files = [...read('Dockerfile').matchAll(/dist\/[\w/-]+\.js/g)].map(([file]) => file);
    expect(files).toContain('dist/core/cli/health-check.js');
    expect(files.filter(file => sourceOf(file) === undefined)).toEqual([]);
  });

  it('uses the Node.js of .nvmrc in production mode, and has the user and stages that docker-compose.yml names', () => {
    expect(instructions('ARG')[0]).toMatch(new RegExp(`^NODE_VERSION=${read('.nvmrc').trim()}\\.\\d+\\.\\d+$`));
    expect(instructions('ENV').join()).toContain('NODE_ENV=production');
    const stages = instructions('FROM').map(line => line.split(' AS ')[1]);
    expect(stages.at(-1)).toBe(compose.services.api?.build?.target);
    for (const [name, { user, build }] of ours) {
      expect(instructions('USER'), name).toEqual([user]);
      expect(stages, name).toContain(build?.target);
    }
  });
});
