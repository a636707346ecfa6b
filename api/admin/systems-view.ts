/**
 * Integrations on the overview page: who serves each system, its circuit, and calls and faults, summed over the live
 * processes since their start.
 */
import { z } from 'zod';
import { discoverSystems, type System } from '../../core/integrations/kit/define-system.ts';
import { createProcessMetrics } from '../../core/telemetry/process-metrics.ts';
import type { ApiServices } from '../services.ts';

interface Tally {
  calls: number;
  faults: number;
  /** Processes whose circuit is not closed. */
  open: number;
}

const callsMetric = 'portal_outside_call_duration_seconds';
const circuitMetric = 'portal_circuit_state';
const OfSystem = z.object({
  metricName: z.string().optional(),
  value: z.number(),
  labels: z.object({ system: z.string(), status: z.string().optional() }),
});

/** Empty for a process of a version with another format. */
const Snapshot = z.array(z.object({ name: z.string(), values: z.array(z.unknown()) })).catch([]);

const none: Tally = { calls: 0, faults: 0, open: 0 };
let found: Promise<System[]> | undefined;

export async function systemRows({ systems, database }: Pick<ApiServices, 'systems' | 'database'>): Promise<object[]> {
  found ??= discoverSystems();
  const [known, processes] = await Promise.all([found, createProcessMetrics(database).read()]);
  const tallies = tallyOf(processes.map(({ snapshot }) => snapshot));
  return known.map(({ name, title, configuredBy }) => {
    const source = systems.sourceOf(configuredBy);
    const { calls, faults, open } = tallies.get(name) ?? none;
    return {
      title,
      source: { configured: 'itself', sandbox: 'the sandbox', none: `not configured (${configuredBy})` }[source],
      isMissing: source === 'none',
      circuit: open === 0 ? 'closed' : `open in ${open} of ${processes.length} processes`,
      isOpen: open > 0,
      calls,
      faults,
    };
  });
}

/** 5xx or no answer. A 4xx is a valid answer of the system. */
const isFault = (status: string | undefined): boolean => status === '5xx' || status === 'none';

function tallyOf(snapshots: readonly unknown[]): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const { name, values } of snapshots.flatMap(snapshot => Snapshot.parse(snapshot))) {
    if (name !== callsMetric && name !== circuitMetric) continue;
    for (const { data } of values.map(value => OfSystem.safeParse(value))) {
      if (!data || (name === callsMetric && data.metricName !== `${callsMetric}_count`)) continue;
      const { system, status } = data.labels;
      const tally = tallies.get(system) ?? { ...none };
      tallies.set(system, tally);
      if (name === circuitMetric) tally.open += data.value > 0 ? 1 : 0;
      else {
        tally.calls += data.value;
        tally.faults += isFault(status) ? data.value : 0;
      }
    }
  }
  return tallies;
}
