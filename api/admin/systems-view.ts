/** The outside systems on the page of operations: who answers for each, how often it was called, and what failed. */
import { z } from 'zod';
import type { System } from '../../core/integrations/kit/define-system.ts';
import { discoverSystems } from '../../core/integrations/kit/discover.ts';
import { createProcessMetrics } from '../../core/telemetry/snapshots.ts';
import type { ApiServices } from '../services.ts';

export interface SystemRow {
  title: string;
  source: string;
  isMissing: boolean;
  /** `closed`, or in how many processes it is not. */
  circuit: string;
  isOpen: boolean;
  /** By the processes that live, each since it was started. */
  calls: number;
  faults: number;
}

type Tally = Pick<SystemRow, 'calls' | 'faults'> & { open: number };

const callsMetric = 'portal_outside_call_duration_seconds';
const circuitMetric = 'portal_circuit_state';
const OfSystem = z.object({
  metricName: z.string().optional(),
  value: z.number(),
  labels: z.object({ system: z.string(), status: z.string().optional() }),
});

/** What a process told of itself; of another version of the service it may tell nothing of this. */
const Snapshot = z.array(z.object({ name: z.string(), values: z.array(z.unknown()) })).catch([]);

let found: Promise<System[]> | undefined;

export async function systemRows({
  systems,
  database,
}: Pick<ApiServices, 'systems' | 'database'>): Promise<SystemRow[]> {
  found ??= discoverSystems();
  const [known, processes] = await Promise.all([found, createProcessMetrics(database).read()]);
  const tallies = tallyOf(processes.map(({ snapshot }) => snapshot));
  return known.map(({ name, title, configuredBy }) => {
    const source = systems.sourceOf(configuredBy);
    const { calls, faults, open } = tallies.get(name) ?? none;
    return {
      title,
      source: { configured: 'itself', sandbox: 'the sandbox', none: `not configured (${configuredBy})` }[
        source
      ],
      isMissing: source === 'none',
      circuit: open === 0 ? 'closed' : `open in ${open} of ${processes.length} processes`,
      isOpen: open > 0,
      calls,
      faults,
    };
  });
}

const none: Tally = { calls: 0, faults: 0, open: 0 };

/** An answer of the class 5xx is a fault, and so is none at all; what a system refuses is none of its faults. */
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
