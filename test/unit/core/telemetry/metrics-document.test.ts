/** `docs/metrics.md` lists exactly the metrics of the code. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { serviceMetrics } from '../../../../core/monitoring/service-metrics.ts';
import { registry } from '../../../../core/telemetry/meter.ts';

const document = readFileSync(path.resolve(import.meta.dirname, '../../../../docs/metrics.md'), 'utf8');

const documented = [...document.matchAll(/^\| `(portal_\w+)` \| (.*?) \| (.+?) \|$/gm)].map(
  ([, name, labels = '', help]) => ({
    name,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
    help,
  }),
);

const measured = (of: Registry) =>
  of.getMetricsAsArray().map(metric => ({
    name: metric.name,
    labels: 'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : [],
    help: metric.help,
  }));

const all = [...measured(registry), ...measured(serviceMetrics().registry)];

describe('docs/metrics.md', () => {
  it('lists every metric with its labels and help text, in order', () => {
    expect(all.length).toBeGreaterThan(15);
    expect(documented).toEqual(all);
  });

  it('queries existing metrics only', () => {
    const queried = [...document.matchAll(/\b(portal_[a-z_]+?)(?:_bucket|_count|_sum)?(?=[{[\s)`])/g)].map(
      ([, name]) => name,
    );
    const names = all.map(({ name }) => name);
    expect(queried.filter(name => !names.includes(name ?? ''))).toEqual([]);
  });
});

describe('metrics', () => {
  it('follow the naming rules of Prometheus: base units, and _total for counters', async () => {
    for (const { name, type } of await registry.getMetricsAsJSON()) {
      expect(name).toMatch(/^portal_[a-z_]+$/);
      // At run time a string, contrary to the types of prom-client.
      if (String(type) === 'counter') expect(name).toMatch(/_total$/);
      if (String(type) === 'histogram') expect(name).toMatch(/_seconds$/);
    }
  });

  it('use known label names only', () => {
    const words = [
      'operation',
      'status',
      'kind',
      'state',
      'outcome',
      'system',
      'method',
      'priority',
      'source',
      'schedule',
      'type',
      'listing',
      'action',
    ];
    expect(all.flatMap(({ labels }) => labels).filter(label => !words.includes(label))).toEqual([]);
  });
});
