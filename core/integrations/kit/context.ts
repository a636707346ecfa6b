/** What all connectors of a process stand on: settings, the sandbox's address, budgets, circuits. */
import type { CircuitBreakerPolicy } from 'cockatiel';
import type { Logger } from 'pino';
import { isSet } from '../../runtime/config.ts';
import { meteredCall } from '../../telemetry/outside-call.ts';
import type { CallClass } from './call.ts';
import type { CallBudgets } from './call-budget.ts';
import { callScope } from './call-context.ts';
import { type CircuitWord, circuitWord, newCircuit } from './circuit.ts';
import { openSystemHttp, type SystemHttp, type SystemHttpOptions } from './http.ts';
import { throughPolicies } from './resilience.ts';
import type { SystemName } from './upstream-error.ts';

/** Who answers for a system: itself, the sandbox (development only), or nobody. */
export type Source = 'configured' | 'sandbox' | 'none';

export interface SystemTools {
  http(options: SystemHttpOptions): SystemHttp;
  /**
   * For a system that does not speak HTTP: circuit, repeats and the count of calls around one try.
   * @param once throws UpstreamError, and nothing else of the system's
   */
  attempt<T>(callClass: CallClass, once: () => Promise<T>): Promise<T>;
  /** Whether the sandbox serves the system. */
  sandbox: boolean;
  logger: Logger;
}

export interface SystemGround {
  env: Readonly<Record<string, string | undefined>>;
  sourceOf(configuredBy: string): Source;
  sandboxUrl(system: string): string;
  /** Our own PostgreSQL, beside which the sandbox keeps the databases that it simulates; undefined: it has none. */
  databaseUrl: string | undefined;
  /** @param sandboxName which system of the sandbox answers, when it is the source */
  tools(system: SystemName, source: Source, sandboxName?: string): SystemTools;
  /** The circuits of this process; a system that was not called yet has none. */
  circuitOf(system: string): CircuitWord | undefined;
}

export interface GroundOptions {
  env?: Readonly<Record<string, string | undefined>>;
  /** Where the sandbox answers; undefined: it must not be used. */
  sandboxUrl: string | undefined;
  databaseUrl?: string;
  budgets: CallBudgets;
  logger: Logger;
}

export function openSystemGround(options: GroundOptions): SystemGround {
  const { env = process.env, sandboxUrl, databaseUrl, budgets, logger } = options;
  const circuits = new Map<string, CircuitBreakerPolicy>();

  function circuit(system: string): CircuitBreakerPolicy {
    const known = circuits.get(system) ?? newCircuit(system, logger);
    circuits.set(system, known);
    return known;
  }

  return {
    env,
    sourceOf(configuredBy) {
      if (isSet(configuredBy, env)) return 'configured';
      return sandboxUrl === undefined ? 'none' : 'sandbox';
    },
    sandboxUrl: system => `${sandboxUrl}/${system}`,
    databaseUrl,
    tools(system, source, sandboxName = system.name) {
      const sandbox = source === 'sandbox';
      const parts = {
        system,
        sandboxName: sandbox ? sandboxName : undefined,
        budgets,
        logger,
        circuit: circuit(system.name),
      };
      return {
        sandbox,
        logger,
        http: httpOptions => openSystemHttp(parts, httpOptions),
        attempt: (callClass, once) =>
          throughPolicies(parts, callClass, async () => {
            const { calls, sandboxes } = callScope();
            calls.set(system.name, (calls.get(system.name) ?? 0) + 1);
            const answer = await meteredCall({ system: system.name, method: callClass }, once);
            if (parts.sandboxName) sandboxes.add(parts.sandboxName);
            return answer;
          }),
      };
    },
    circuitOf(system) {
      const known = circuits.get(system);
      return known && circuitWord(known);
    },
  };
}
