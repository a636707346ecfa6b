/** What the connectors of a process share: environment, sandbox URL, call budgets, circuits. */
import type { Logger } from 'pino';
import { isSet } from '../../runtime/config.ts';
import { meteredCall } from '../../telemetry/spans.ts';
import type { CallClass } from './call.ts';
import type { CallBudgets } from './call-budget.ts';
import { callContext } from './call-context.ts';
import { type Circuit, type CircuitPauses, type CircuitStateName, newCircuit } from './circuit.ts';
import { openSystemHttp, type SystemHttp, type SystemHttpOptions } from './http.ts';
import { type RepeatedFailures, watchRepeatedFailures } from './repeated-failure.ts';
import { withRetries } from './resilience.ts';
import type { SystemName } from './upstream-error.ts';

/** What serves a system: the vendor, the sandbox (development only), or nothing. */
export type Source = 'configured' | 'sandbox' | 'none';

export interface IntegrationContextOptions {
  env?: Readonly<Record<string, string | undefined>>;
  /** Undefined: the sandbox must not be used. */
  sandboxUrl: string | undefined;
  databaseUrl?: string;
  budgets: CallBudgets;
  logger: Logger;
  /** Shorter in tests. */
  circuitPauses?: CircuitPauses;
}

export type IntegrationContext = ReturnType<typeof openIntegrationContext>;
export type SystemTools = ReturnType<IntegrationContext['tools']>;

export function openIntegrationContext(options: IntegrationContextOptions) {
  const { env = process.env, sandboxUrl, databaseUrl, budgets, logger, circuitPauses } = options;
  const circuits = new Map<string, Circuit>();
  const repeated = new Map<string, RepeatedFailures>();

  function circuit(system: SystemName): Circuit {
    const known = circuits.get(system.name) ?? newCircuit(system, logger, circuitPauses);
    circuits.set(system.name, known);
    return known;
  }

  function repeatedOf({ name }: SystemName): RepeatedFailures {
    const known = repeated.get(name) ?? watchRepeatedFailures();
    repeated.set(name, known);
    return known;
  }

  return {
    env,
    /** Our PostgreSQL, on which the sandbox creates the databases that it simulates; undefined: it has none. */
    databaseUrl,
    sandboxUrl: (system: string) => `${sandboxUrl}/${system}`,
    sourceOf(configuredBy: string): Source {
      if (isSet(configuredBy, env)) return 'configured';
      return sandboxUrl === undefined ? 'none' : 'sandbox';
    },
    /** @param sandboxName the sandbox's system that answers when the sandbox is the source */
    tools(system: SystemName, source: Source, sandboxName = system.name) {
      const shared = {
        system,
        sandboxName: source === 'sandbox' ? sandboxName : undefined,
        budgets,
        logger,
        circuit: circuit(system),
        repeated: repeatedOf(system),
      };
      return {
        /** Whether the sandbox serves the system. */
        sandbox: source === 'sandbox',
        system,
        logger,
        http: (httpOptions: SystemHttpOptions): SystemHttp => openSystemHttp(shared, httpOptions),
        /**
         * For a system without HTTP: circuit, retries and call count around one attempt.
         * @param once throws UpstreamError for every failure of the system
         */
        attempt: <T>(callClass: CallClass, once: () => Promise<T>): Promise<T> =>
          withRetries(callClass, () =>
            shared.circuit.run(async () => {
              const { calls, sandboxes } = callContext();
              calls.set(system.name, (calls.get(system.name) ?? 0) + 1);
              const answer = await meteredCall({ system: system.name, method: callClass }, once);
              if (shared.sandboxName) sandboxes.add(shared.sandboxName);
              return answer;
            }, callClass),
          ),
      };
    },
    /** State of a circuit in this process; undefined before the first call to the system. */
    circuitOf: (system: string): CircuitStateName | undefined => circuits.get(system)?.stateName(),
  };
}
