/** Works on `terminations` jobs: who is meant, then each system for itself, so that one that is down holds up no other. */
import type { z } from 'zod';
import { TerminationConfig } from '../../core/domain/terminations/find-account.ts';
import { findPerson, unknownPerson, personKey } from '../../core/domain/terminations/person.ts';
import { terminationSystems } from '../../core/domain/terminations/termination.ts';
import { personWarnings } from '../../core/domain/terminations/warnings.ts';
import crmSystem from '../../core/integrations/crm/system.ts';
import { defineHandler, type JobContext } from '../../core/jobs/handler.ts';
import { withSessionLock } from '../../core/postgres/locks.ts';
import { asServiceError } from '../../core/runtime/errors.ts';
import type { WorkerServices } from '../services.ts';
import job from './contract.ts';
import { type Part, sumUp } from './summarize.ts';
import { type Order, openFindings, terminateIn } from './terminate-in.ts';

type Payload = z.output<typeof job.payload>;

export default defineHandler({
  job,
  config: TerminationConfig,
  async open({ TERMINATION_PROTECTED_EMAILS: protectedEmails }, services: WorkerServices) {
    return {
      handle: async (payload, context) => ({
        result: await terminate(services, protectedEmails, payload, context),
      }),
      close: async () => undefined,
    };
  },
});

async function terminate(
  services: WorkerServices,
  protectedEmails: readonly string[],
  payload: Payload,
  context: JobContext,
) {
  const person = await findPerson(crmSystem.client(services.systems), payload);
  // One at a time for each person, in whatever systems and however named.
  const lock = { name: `termination of ${personKey(person)}`, signal: context.signal };
  return await withSessionLock(services.database, lock, async () => {
    const findings = await openFindings(context.checkpoint);
    const order: Order = { person, reason: payload.reason, protectedEmails, findings, context };
    for (const warning of personWarnings(person, payload)) context.warn(warning);
    if (payload.system === 'all') return await terminateEverywhere(services, order);
    const termination = await terminateIn(services, payload.system, order);
    if (person.inCrm === 'unknown' && termination.outcome === 'absent') throw unknownPerson();
    return termination;
  });
}

async function terminateEverywhere(services: WorkerServices, order: Order) {
  const { context, person } = order;
  const total = terminationSystems.length;
  let over = 0;
  const parts = await Promise.all(
    terminationSystems.map(async (system): Promise<Part> => {
      try {
        return { system, termination: await terminateIn(services, system, order) };
      } catch (error) {
        context.signal.throwIfAborted();
        return { system, error: asServiceError(error) };
      } finally {
        over += 1;
        context.progress('systems', over, total, (100 * over) / total);
      }
    }),
  );
  return sumUp(person, parts);
}
