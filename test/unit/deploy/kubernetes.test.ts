/**
 * The manifests in `deploy/kubernetes/` follow the schemas of Kubernetes and match the code: files, kinds of jobs,
 * settings, ports, paths and the query of the autoscaler.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Service } from 'kubernetes-models/v1/Service';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import getHealth from '../../../api/operations/health/get-health.ts';
import getReadiness from '../../../api/operations/health/get-readiness.ts';
import { configDeclarations, variablesOf } from '../../../core/doctor/checks/configuration.ts';
import { discoverContracts } from '../../../core/jobs/discover.ts';
import { JobState } from '../../../core/jobs/record.ts';
import { otherConnections } from '../../../core/postgres/connections.ts';
import { checkConfig } from '../../../core/runtime/config.ts';
import { ServiceConfig } from '../../../core/runtime/service-config.ts';
import { measuredSeries, readPromql, unknownNames } from '../../support/promql.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const folder = 'deploy/kubernetes';

const Kustomization = z.object({
  namespace: z.literal('portal'),
  resources: z.array(z.string()),
  images: z.array(z.object({ name: z.string(), newTag: z.string().regex(/^\d+\.\d+\.\d+$/) })).optional(),
  configMapGenerator: z.array(z.object({ name: z.string(), envs: z.array(z.string()) })).optional(),
});
const Manifest = z.strictObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.record(z.string(), z.unknown()).optional(),
});

const kustomization = Kustomization.parse(parse(read(`${folder}/base/kustomization.yaml`)));
const objects = kustomization.resources.flatMap(file =>
  parseAllDocuments(read(`${folder}/base/${file}`)).map(document => Manifest.parse(document.toJS())),
);
const ofKind = (kind: string) => objects.filter(object => object.kind === kind);
const settings = Object.fromEntries(
  read(`${folder}/base/settings.env`)
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
);
const workloads = objects.flatMap((object: unknown) => {
  if (!Deployment.is(object) && !Job.is(object)) return [];
  const { kind, metadata: { name = '' } = {}, spec } = object;
  const { metadata: { labels = {} } = {}, spec: pod } = spec?.template ?? {};
  const [container] = pod?.containers ?? [];
  if (!pod || !container) throw new Error(`${kind} ${name} has no container`);
  const ofContainer = (container.env ?? []).map(one => [one.name, one.value ?? ''] as const);
  const env: Record<string, string> = { ...settings, ...Object.fromEntries(ofContainer) };
  const replicas = Deployment.is(object) ? object.spec?.replicas : undefined;
  const selected = spec?.selector?.matchLabels;
  return [{ kind, name, labels, selected, replicas, pod, container, args: container.args ?? [], env }];
});
const deployments = workloads.filter(({ kind }) => kind === 'Deployment');
const workload = (name: string) => {
  const found = workloads.find(one => one.name === name);
  if (!found) throw new Error(`no workload ${name}`);
  return found;
};

const declared = variablesOf(await configDeclarations());
const kinds = [...(await discoverContracts()).keys()];

const models = [
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  Namespace,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Service,
];

/** @throws Error with the member that the schema of Kubernetes does not accept */
function validate(object: object): void {
  const model = models.find(({ is }) => is(object));
  if (!model) throw new Error(`no schema for ${JSON.stringify(object)}`);
  // The constructor would copy the object, which hides what the validator reads.
  Reflect.apply(model.prototype.validate, object, []);
}

/** Members that the schema does not name, which the API server rejects: a valid object's validator reads all others. */
function unknownMembers(object: object): string[] {
  const unread = new Set<string>();
  function watch(value: object, at: string): object {
    const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
      const place = `${at}/${name}`;
      unread.add(place);
      return [name, typeof member === 'object' && member !== null ? watch(member, place) : member] as const;
    });
    const copy = Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
    return new Proxy(copy, {
      get(target, name) {
        unread.delete(`${at}/${String(name)}`);
        return Reflect.get(target, name);
      },
    });
  }
  validate(watch(object, ''));
  return [...unread];
}

describe('deploy/kubernetes/base', () => {
  it('follows the schemas of Kubernetes', () => {
    for (const object of objects) expect(unknownMembers(object), `${object.kind} ${object.metadata.name}`).toEqual([]);
  });

  it('is checked by schemas that reject a wrong type, a missing and an unknown member', () => {
    const [object] = ofKind('Deployment');
    const { spec } = Manifest.parse(object);
    expect(() => validate({ ...object, spec: { ...spec, replicas: 'two' } })).toThrow('replicas');
    expect(() => validate({ ...object, spec: { ...spec, selector: undefined } })).toThrow('selector');
    const misspelt = Manifest.parse({ ...object, spec: { ...spec, strategy: { rollingUpdates: {} } } });
    expect(unknownMembers(misspelt)).toEqual(['/spec/strategy/rollingUpdates']);
  });

  it('restricts every container', () => {
    for (const { name, pod, container } of workloads) {
      expect(pod, name).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 },
      });
      expect(container, name).toMatchObject({
        image: 'portal-service',
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: { requests: { memory: expect.any(String) }, limits: { memory: expect.any(String) } },
      });
      expect(pod.containers, name).toHaveLength(1);
    }
  });

  it('runs files of the build, and every kind of job in exactly one worker', () => {
    for (const { name, args } of workloads) {
      const source = args[0]?.replace(/^dist\//, '').replace(/\.js$/, '.ts') ?? '';
      expect(existsSync(path.join(root, source)), `${name}: ${source}`).toBe(true);
    }
    const run = workloads.flatMap(({ args }) => (args[0] === 'dist/workers/main.js' ? args.slice(1) : []));
    expect(run.sort()).toEqual([...kinds].sort());
    const files = workloads.map(({ args }) => args[0]);
    for (const file of ['dist/api/main.js', 'dist/workers/scheduler.js', 'dist/api/cli/client.js'])
      expect(files.filter(one => one === file)).toHaveLength(1);
  });

  it('runs the same workers as docker-compose.yml', () => {
    const compose = z
      .object({ services: z.record(z.string(), z.object({ command: z.array(z.string()).default([]) })) })
      .parse(parse(read('docker-compose.yml'), { merge: true }));
    for (const { name, args } of deployments) expect(compose.services[name]?.command, name).toEqual(args);
  });

  it('sets declared and valid settings only, and contains no secret', () => {
    for (const { name, env } of workloads) {
      const unknown = Object.keys(env).filter(variable => !declared.has(variable.replace(/_FILE$/, '')));
      // Node.js reads it.
      expect(unknown, name).toEqual(name === 'worker-syncs' ? ['NODE_OPTIONS'] : []);
      expect(
        Object.keys(env)
          .filter(variable => /(PASSWORD|SECRET|TOKEN|KEY|_URL)$/.test(variable))
          .sort(),
      ).toEqual(['PUBLIC_URL', 'STORAGE_URL']);
      checkConfig([ServiceConfig], env);
      expect(env).toMatchObject({ NODE_ENV: 'production', HOST: '0.0.0.0' });
    }
    expect(kustomization.configMapGenerator).toEqual([{ name: 'portal', envs: ['settings.env'] }]);
    for (const { container } of workloads) expect(container.envFrom).toEqual([{ configMapRef: { name: 'portal' } }]);
  });

  it('mounts each secret that a setting names, and writable folders for all that the service writes', () => {
    for (const { name, kind, container, pod, env } of workloads) {
      const mounts = new Map((container.volumeMounts ?? []).map(mount => [mount.mountPath, mount]));
      const volumes = new Map((pod.volumes ?? []).map(volume => [volume.name, volume]));
      expect([...mounts.values()].map(mount => mount.name).sort(), name).toEqual([...volumes.keys()].sort());
      for (const [variable, file] of Object.entries(env)) {
        if (!variable.endsWith('_FILE')) continue;
        const mount = mounts.get(path.posix.dirname(file));
        expect(volumes.get(mount?.name ?? '')?.secret, `${name} ${variable}`).toBeDefined();
      }
      for (const [at, mount] of mounts) expect(mount.readOnly === true, `${name} ${at}`).toBe(at.startsWith('/run/'));
      const written = ['/tmp', settings.DATA_DIR, ...(kind === 'Job' ? [] : ['/results'])];
      expect([...mounts.keys()].filter(at => !at.startsWith('/run/')).sort(), name).toEqual(written.sort());
    }
    expect(settings.STORAGE_URL).toBe('file:///results');
    const claims = workloads.flatMap(({ pod }) => pod.volumes?.map(volume => volume.persistentVolumeClaim?.claimName));
    expect(new Set(claims.filter(claim => claim !== undefined))).toEqual(new Set(['results']));
    expect(ofKind('PersistentVolumeClaim')).toMatchObject([
      { metadata: { name: 'results' }, spec: { accessModes: ['ReadWriteMany'] } },
    ]);
  });

  it('gives the browser its seccomp profile, and all others that of the runtime', () => {
    const profiles = workloads.map(({ name, pod }) => [name, pod.securityContext?.seccompProfile?.localhostProfile]);
    expect(profiles.filter(([, profile]) => profile !== undefined)).toEqual([
      ['worker-brochures', 'portal/browser-seccomp.json'],
    ]);
    expect(existsSync(path.join(root, 'browser-seccomp.json'))).toBe(true);
    expect(workload('worker-brochures').pod.securityContext?.seccompProfile?.type).toBe('Localhost');
    expect(ofKind('Namespace')).toMatchObject([
      { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } },
    ]);
  });

  it('probes paths of the API, and the heartbeat of the other processes at METRICS_PORT', () => {
    const { startupProbe, livenessProbe, readinessProbe, ports } = workload('api').container;
    const [live, ready] = [getHealth, getReadiness].map(({ route }) => route.split(' ')[1]);
    expect([startupProbe, livenessProbe, readinessProbe].map(probe => probe?.httpGet)).toEqual([
      { path: live, port: 'http' },
      { path: live, port: 'http' },
      { path: ready, port: 'http' },
    ]);
    const metrics = { name: 'metrics', containerPort: Number(settings.METRICS_PORT) };
    expect(ports).toEqual([{ name: 'http', containerPort: Number(settings.PORT) }, metrics]);
    for (const { name, container } of deployments) {
      if (name === 'api') continue;
      expect(container.ports, name).toEqual([metrics]);
      const probe = container.livenessProbe;
      for (const one of [container.startupProbe, probe])
        expect(one?.httpGet, name).toEqual({ path: '/health', port: 'metrics' });
      // Heartbeats stop with the database.
      expect((probe?.periodSeconds ?? 0) * (probe?.failureThreshold ?? 0)).toBeGreaterThanOrEqual(300);
    }
  });

  it('gives pods time to stop', () => {
    for (const { name, pod, container } of deployments) {
      const needed = Number(settings.SHUTDOWN_GRACE_SECONDS) + (container.lifecycle?.preStop?.sleep?.seconds ?? 0);
      expect(pod.terminationGracePeriodSeconds ?? 30, name).toBeGreaterThan(needed);
    }
  });

  it('selects the pods of each deployment in its selector, its budget, the autoscalers and the service', () => {
    const named = 'app.kubernetes.io/name';
    for (const { name, selected, labels } of deployments) {
      expect(selected, name).toEqual({ [named]: name });
      expect(labels[named]).toBe(name);
    }
    const budgets = ofKind('PodDisruptionBudget');
    expect(budgets.map(({ metadata }) => metadata.name).sort()).toEqual(deployments.map(({ name }) => name).sort());
    for (const budget of budgets)
      expect(budget).toMatchObject({ spec: { selector: { matchLabels: { [named]: budget.metadata.name } } } });
    expect(ofKind('Service')).toMatchObject([
      { spec: { selector: { [named]: 'api' }, ports: [{ port: Number(settings.PORT), targetPort: 'http' }] } },
    ]);
    const scaled = ofKind('HorizontalPodAutoscaler').map(({ metadata }) => metadata.name);
    expect(scaled.sort()).toEqual(['api', 'worker-brochures']);
    for (const { name, replicas } of deployments) expect(replicas === undefined, name).toBe(scaled.includes(name));
    for (const one of ofKind('HorizontalPodAutoscaler'))
      expect(one).toMatchObject({ spec: { scaleTargetRef: { kind: 'Deployment', name: one.metadata.name } } });
  });

  it('opens at most as many PostgreSQL connections as docs/production.md names', () => {
    const most = new Map(
      objects.flatMap((object: unknown) =>
        HorizontalPodAutoscaler.is(object) ? [[object.metadata?.name, object.spec?.maxReplicas] as const] : [],
      ),
    );
    const pods = deployments.reduce((sum, { name, replicas }) => sum + (most.get(name) ?? replicas ?? 1), 0);
    const perProcess = Number(settings.DATABASE_POOL) + otherConnections;
    expect(read('docs/production.md')).toContain(
      `At most ${pods} processes run, ${pods * perProcess} connections to PostgreSQL; during an update a pod more of each, ${
        (pods + deployments.length) * perProcess
      }`,
    );
  });
});

describe('the network policies', () => {
  const policies = objects.flatMap((object: unknown) => (NetworkPolicy.is(object) && object.spec ? [object.spec] : []));
  type Labels = Record<string, string>;
  type Selector = NonNullable<(typeof policies)[number]['podSelector']>;

  const selects = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean =>
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(
      ({ key, operator, values }) => operator === 'In' && values?.includes(labels[key] ?? '') === true,
    );

  const portsOf = (labels: Labels, direction: 'egress' | 'ingress') =>
    policies
      .filter(({ podSelector }) => selects(podSelector ?? {}, labels))
      .flatMap(policy =>
        (policy[direction] ?? []).flatMap(({ ports }) => ports?.map(({ port }) => Number(port)) ?? []),
      );

  it('deny everything first', () =>
    expect(policies[0]).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] }));

  it.each([
    ['api', [53, 53, 80, 443, 5432, 6379], [9000, 9464]],
    ['worker-brochures', [53, 53, 80, 443, 465, 587, 5432, 6379], [9464]],
    ['worker-syncs', [53, 53, 80, 443, 5432, 6379], [9464]],
    ['worker-leads', [53, 53, 80, 443, 5432, 6379], [9464]],
    ['worker-upkeep', [53, 53, 80, 443, 5432, 6379], [9464]],
    ['scheduler', [53, 53, 80, 443, 465, 587, 5432, 6379], [9464]],
    ['migrate', [53, 53, 5432, 6379], []],
  ])('let %s call ports %j and be called at %j', (name, egress, ingress) => {
    const { labels } = workload(name);
    expect(portsOf(labels, 'egress').sort((a, b) => a - b)).toEqual(egress);
    expect(portsOf(labels, 'ingress')).toEqual(ingress);
  });

  it('cover every workload, and keep the internet rules away from private networks and cloud metadata', () => {
    for (const { name, labels } of workloads) expect(portsOf(labels, 'egress').length, name).toBeGreaterThan(0);
    const rules = policies.flatMap(({ egress = [], ingress = [] }) => [
      ...egress.map(({ to, ports }) => ({ peers: to, ports })),
      ...ingress.map(({ from, ports }) => ({ peers: from, ports })),
    ]);
    // A rule without peers or ports permits all.
    for (const { peers, ports } of rules) expect([peers?.length, ports?.length]).not.toContain(undefined);
    const blocks = rules.flatMap(({ peers }) => peers?.flatMap(({ ipBlock }) => ipBlock ?? []) ?? []);
    expect(blocks).toHaveLength(2);
    for (const { except } of blocks)
      expect(except).toEqual(
        expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16']),
      );
  });
});

describe('deploy/kubernetes/keda', () => {
  it('scales the brochure workers by the queued and running jobs of their kinds', async () => {
    const trigger = z.object({
      type: z.literal('prometheus'),
      metricType: z.literal('AverageValue'),
      metadata: z.strictObject({ serverAddress: z.url(), query: z.string(), threshold: z.string().regex(/^\d+$/) }),
    });
    const { spec } = z
      .object({
        apiVersion: z.literal('keda.sh/v1alpha1'),
        kind: z.literal('ScaledObject'),
        spec: z.strictObject({
          scaleTargetRef: z.strictObject({ name: z.string() }),
          minReplicaCount: z.int().min(1),
          maxReplicaCount: z.int(),
          pollingInterval: z.int(),
          cooldownPeriod: z.int(),
          fallback: z.strictObject({ failureThreshold: z.int(), replicas: z.int().min(1) }),
          advanced: z.strictObject({ horizontalPodAutoscalerConfig: z.strictObject({ behavior: z.looseObject({}) }) }),
          triggers: z.tuple([trigger]),
        }),
      })
      .parse(parse(read(`${folder}/keda/worker-brochures.yaml`)));
    const { args } = workload(spec.scaleTargetRef.name);
    const expression = readPromql(spec.triggers[0].metadata.query);
    expect(unknownNames(expression, await measuredSeries(), { kind: kinds, state: JobState.options })).toEqual([]);
    const values = new Map(expression.selectors[0]?.matchers.map(({ label, value }) => [label, value.split('|')]));
    expect(values.get('kind')).toEqual(args.slice(1));
    expect(values.get('state')).toEqual(['queued', 'running']);
  });

  it('replaces the autoscaler of the base', () => {
    const text = read(`${folder}/keda/kustomization.yaml`);
    const { resources, patches } = Kustomization.extend({ patches: z.array(z.object({ patch: z.string() })) }).parse(
      parse(text),
    );
    expect(resources).toEqual(['../base', 'worker-brochures.yaml']);
    expect(patches.map(({ patch }) => parse(patch))).toMatchObject([
      { kind: 'HorizontalPodAutoscaler', metadata: { name: 'worker-brochures' }, $patch: 'delete' },
    ]);
    expect(ofKind('HorizontalPodAutoscaler').map(({ metadata }) => metadata.name)).toContain('worker-brochures');
  });
});
