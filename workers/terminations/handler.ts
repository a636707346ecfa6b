/** Handles `terminations` jobs: finds the person, then terminates in each system independently of the others. */
import type { z } from 'zod';
import { TerminationConfig } from '../../core/domain/terminations/find-account.ts';
import { findPerson, personKey, personWarnings, unknownPerson } from '../../core/domain/terminations/person.ts';
import { terminationSystems } from '../../core/domain/terminations/termination.ts';
import crmSystem from '../../core/integrations/crm/system.ts';
import { defineHandler, type JobContext } from '../../core/jobs/handler.ts';
import { withSessionLock } from '../../core/postgres/locks.ts';
import { asServiceError } from '../../core/runtime/errors.ts';
import type { WorkerServices } from '../services.ts';
import job from './contract.ts';
import { type SystemOutcome, summarize } from './summarize.ts';
import { openFoundAccounts, type TerminationOrder, terminateIn } from './terminate-in.ts';

export default defineHandler({
  job,
  config: TerminationConfig,
  async open({ TERMINATION_PROTECTED_EMAILS: protectedEmails }, services: WorkerServices) {
    return {
      handle: async (payload, context) => ({
        result: await terminate(services, protectedEmails, payload, context),
      }),
    };
  },
});

async function terminate(
  services: WorkerServices,
  protectedEmails: readonly string[],
  payload: z.output<typeof job.payload>,
  context: JobContext,
) {
  const { reason, dryRun } = payload;
  const person = await findPerson(crmSystem.client(services.systems), payload);
  // Serializes the jobs of one person, in any system and named by id or e-mail.
  const lock = { name: `termination of ${personKey(person)}`, signal: context.signal };
  return await withSessionLock(services.database, lock, async () => {
    const found = await openFoundAccounts(context.checkpoint);
    const order: TerminationOrder = { person, reason, dryRun, protectedEmails, found, context };
    for (const warning of personWarnings(person, payload)) context.warn(warning);
    if (payload.system === 'all') return await terminateEverywhere(services, order);
    const termination = await terminateIn(services, payload.system, order);
    if (person.inCrm === 'unknown' && termination.outcome === 'absent') throw unknownPerson();
    return termination;
  });
}

async function terminateEverywhere(services: WorkerServices, order: TerminationOrder) {
  const { context, person } = order;
  const total = terminationSystems.length;
  let ended = 0;
  const outcomes = await Promise.all(
    terminationSystems.map(async (system): Promise<SystemOutcome> => {
      try {
        return { system, termination: await terminateIn(services, system, order) };
      } catch (error) {
        context.signal.throwIfAborted();
        return { system, error: asServiceError(error) };
      } finally {
        ended += 1;
        context.progress('systems', ended, total, (100 * ended) / total);
      }
    }),
  );
  return summarize(person, outcomes);
}
