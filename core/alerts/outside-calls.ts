/** What the processes that live have measured of outside systems: calls, faults, open circuits. */
import { z } from 'zod';
import type { ProcessSnapshot } from '../telemetry/snapshots.ts';

const Value = z.object({
  value: z.number().nullable(),
  metricName: z.string().optional(),
  labels: z.record(z.string(), z.union([z.string(), z.number()])),
});
const Metrics = z.array(z.looseObject({ name: z.string(), values: z.array(Value) }));

export interface OutsideCalls {
  system: string;
  calls: number;
  /** Answered with 5xx, or not at all. */
  faults: number;
  /** Processes in which the system is left alone just now, because it keeps failing. */
  openCircuits: number;
}

/** As `core/telemetry/meter.ts` names them. */
const circuitMetric = 'portal_circuit_state';
const callsMetric = 'portal_outside_call_duration_seconds_count';
const open = 2;

/** @param snapshots one that cannot be read, as of another version of the service, counts for nothing */
export function outsideCalls(snapshots: readonly ProcessSnapshot[]): OutsideCalls[] {
  const systems = new Map<string, OutsideCalls>();
  const of = (system: string): OutsideCalls => {
    const known = systems.get(system) ?? { system, calls: 0, faults: 0, openCircuits: 0 };
    systems.set(system, known);
    return known;
  };
  for (const { name, metricName, value, labels } of snapshots.flatMap(({ snapshot }) => valuesOf(snapshot))) {
    const system = String(labels.system);
    if (name === circuitMetric && value === open) of(system).openCircuits++;
    if (metricName === callsMetric) {
      of(system).calls += value ?? 0;
      if (labels.status === '5xx' || labels.status === 'none') of(system).faults += value ?? 0;
    }
  }
  return [...systems.values()].sort((one, other) => one.system.localeCompare(other.system));
}

const valuesOf = (snapshot: unknown) =>
  (Metrics.safeParse(snapshot).data ?? []).flatMap(({ name, values }) =>
    values.map(value => ({ ...value, name })),
  );
