import { Counter, Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { labelMetrics, mergeMetrics } from '../../../../core/telemetry/scrape.ts';

async function snapshotOf(requests: number): Promise<unknown> {
  const registers = [new Registry()];
  const labelNames = ['operation'];
  new Counter({ name: 'requests_total', help: 'Requests.', labelNames, registers }).inc({ operation: 'a' }, requests);
  new Histogram({ name: 'wait_seconds', help: 'Waits.', buckets: [1], registers }).observe(requests);
  // As the database returns it.
  return JSON.parse(JSON.stringify(await registers[0]?.getMetricsAsJSON()));
}

const api = { process: 'api', instance: 'one:1' };
const worker = { process: 'worker', instance: 'two:2' };

describe('a scrape', () => {
  it('has separate values for each process and one help line for each metric', async () => {
    const text = await mergeMetrics(new Registry(), [
      labelMetrics(api, await snapshotOf(3)),
      labelMetrics(worker, await snapshotOf(4)),
    ]);
    expect(text.match(/# HELP requests_total/g)).toHaveLength(1);
    expect(text).toContain('requests_total{operation="a",process="api",instance="one:1"} 3');
    expect(text).toContain('requests_total{operation="a",process="worker",instance="two:2"} 4');
    expect(text).toContain('wait_seconds_bucket{le="1",process="worker",instance="two:2"} 0');
    expect(text).toContain('wait_seconds_sum{process="api",instance="one:1"} 3');
  });

  it('leaves out null values and snapshots of another shape', () => {
    const values = [
      { value: null, labels: {} },
      { value: 1, labels: {} },
    ];
    expect(labelMetrics(api, [{ name: 'lag', values }])).toMatchObject([{ values: [{ value: 1, labels: api }] }]);
    expect(labelMetrics(api, { metrics: 'of tomorrow' })).toEqual([]);
  });
});
