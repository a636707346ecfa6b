/** `docs/metrics.md` says of every metric what the code says of it: neither more nor less. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { registry } from '../../../../core/telemetry/meter.ts';
import { serviceMetrics } from '../../../../core/telemetry/scrape.ts';

const document = readFileSync(path.resolve(import.meta.dirname, '../../../../docs/metrics.md'), 'utf8');

const told = [...document.matchAll(/^\| `(portal_\w+)` \| (.*?) \| (.+?) \|$/gm)].map(
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

describe('the document of the metrics', () => {
  it('tells of each its name, its labels and its meaning, in their order', () => {
    expect(all.length).toBeGreaterThan(15);
    expect(told).toEqual(all);
  });

  it('asks for no metric that there is not', () => {
    const asked = [...document.matchAll(/\b(portal_[a-z_]+?)(?:_bucket|_count|_sum)?(?=[{[\s)`])/g)].map(
      ([, name]) => name,
    );
    const names = all.map(({ name }) => name);
    expect(asked.filter(name => !names.includes(name ?? ''))).toEqual([]);
  });
});

describe('metrics', () => {
  it('have names as Prometheus asks for: base units, and _total where they count', async () => {
    for (const { name, type } of await registry.getMetricsAsJSON()) {
      expect(name).toMatch(/^portal_[a-z_]+$/);
      // prom-client tells the type as a word, whatever its types say.
      if (String(type) === 'counter') expect(name).toMatch(/_total$/);
      if (String(type) === 'histogram') expect(name).toMatch(/_seconds$/);
    }
  });

  it('have labels of the service’s own words only', () => {
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
      'rule',
    ];
    expect(all.flatMap(({ labels }) => labels).filter(label => !words.includes(label))).toEqual([]);
  });
});
