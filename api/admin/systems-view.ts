/**
 * Integrations on the overview page: who serves each system, its circuit, and calls and faults, summed over the live
 * processes since their start.
 */
import { noCalls, outsideCalls } from '../../core/alerts/outside-calls.ts';
import { discoverSystems, type System } from '../../core/integrations/kit/define-system.ts';
import { createProcessMetrics } from '../../core/telemetry/process-metrics.ts';
import type { ApiServices } from '../services.ts';

let found: Promise<System[]> | undefined;

export async function systemRows({ systems, database }: Pick<ApiServices, 'systems' | 'database'>): Promise<object[]> {
  found ??= discoverSystems();
  const [known, processes] = await Promise.all([found, createProcessMetrics(database).read()]);
  const measured = new Map(outsideCalls(processes).map(calls => [calls.system, calls]));
  return known.map(({ name, title, configuredBy }) => {
    const source = systems.sourceOf(configuredBy);
    const { calls, faults, openCircuits, halfOpenCircuits } = measured.get(name) ?? noCalls;
    const notClosed = openCircuits + halfOpenCircuits;
    return {
      title,
      source: { configured: 'itself', sandbox: 'the sandbox', none: `not configured (${configuredBy})` }[source],
      isMissing: source === 'none',
      circuit: notClosed === 0 ? 'closed' : `open in ${notClosed} of ${processes.length} processes`,
      isOpen: notClosed > 0,
      calls,
      faults,
    };
  });
}
