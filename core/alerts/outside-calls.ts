/** Calls, failures and open circuits of outside systems, as measured by the running processes. */
import type { ProcessSnapshot } from '../telemetry/process-metrics.ts';
import { metricsIn } from '../telemetry/scrape.ts';

/** Names from `core/telemetry/meter.ts`. */
const circuitMetric = 'portal_circuit_state';
const callsMetric = 'portal_outside_call_duration_seconds_count';
const halfOpen = 1;
const open = 2;

/** `faults`: responses with 5xx, and calls without a response. `openCircuits`: processes with an open circuit. */
export const noCalls = { calls: 0, faults: 0, openCircuits: 0, halfOpenCircuits: 0 };

/** @param snapshots unreadable ones, such as those of other versions of the service, are ignored */
export function outsideCalls(snapshots: readonly ProcessSnapshot[]) {
  const systems = new Map<string, typeof noCalls & { system: string }>();
  const of = (system: string) => {
    const known = systems.get(system) ?? { ...noCalls, system };
    systems.set(system, known);
    return known;
  };
  for (const { name, metricName, value, labels } of snapshots.flatMap(({ snapshot }) => valuesOf(snapshot))) {
    const system = String(labels.system);
    if (name === circuitMetric && value === open) of(system).openCircuits++;
    if (name === circuitMetric && value === halfOpen) of(system).halfOpenCircuits++;
    if (metricName === callsMetric) {
      of(system).calls += value ?? 0;
      if (labels.status === '5xx' || labels.status === 'none') of(system).faults += value ?? 0;
    }
  }
  return [...systems.values()].sort((one, other) => one.system.localeCompare(other.system));
}

const valuesOf = (snapshot: unknown) =>
  metricsIn(snapshot).flatMap(({ name, values }) => values.map(value => ({ ...value, name })));
