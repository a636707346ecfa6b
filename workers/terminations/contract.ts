/** Job kind `terminations`: revokes a person's access to one system or to all of them. */
import { z } from 'zod';
import { personKey } from '../../core/domain/terminations/person.ts';
import {
  FullTermination,
  SystemTermination,
  TerminationRequest,
  TerminationSystem,
} from '../../core/domain/terminations/termination.ts';
import { defineJob } from '../../core/jobs/contract.ts';

export default defineJob({
  kind: 'terminations',
  subject: 'people',
  summary: 'Revokes a user’s access to one system or to all of them, and reads the accounts again to verify it.',
  payload: z.object({ system: z.union([TerminationSystem, z.literal('all')]), ...TerminationRequest.shape }),
  result: z.union([SystemTermination, FullTermination]),
  // After `maxOutageMs`, about 40 more minutes: access must be revoked as soon as a system is available again.
  hasEffects: true,
  attempts: 10,
  backoffMs: 5_000,
  timeoutMs: 10 * 60_000,
  concurrency: 2,
  /** A person named once by id and once by e-mail gets two keys; the handler's lock serializes these jobs. */
  exclusive: ({ system, dryRun, ...person }) => (dryRun ? undefined : `${system} ${personKey(person)}`),
});
