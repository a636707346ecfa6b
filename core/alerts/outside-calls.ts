/** Calls, failures and open circuits of outside systems, as measured by the running processes. */
import type { ProcessSnapshot } from '../telemetry/process-metrics.ts';
import { metricsIn } from '../telemetry/scrape.ts';

export interface OutsideCalls {
  system: string;
  calls: number;
  /** Responses with 5xx, and calls without a response. */
  faults: number;
  /** Processes whose circuit of the system is open. */
  openCircuits: number;
}

/** Names from `core/telemetry/meter.ts`. */
const circuitMetric = 'portal_circuit_state';
const callsMetric = 'portal_outside_call_duration_seconds_count';
const open = 2;

/** @param snapshots unreadable ones, such as those of other versions of the service, are ignored */
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
  metricsIn(snapshot).flatMap(({ name, values }) => values.map(value => ({ ...value, name })));
