/** Job family `terminations`: a person who leaves is cut off from one system, or from all of them. */
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
  summary: 'Cuts a user off from one system or from all of them, and reads again that it is so.',
  payload: z.object({ system: z.union([TerminationSystem, z.literal('all')]), ...TerminationRequest.shape }),
  result: z.union([SystemTermination, FullTermination]),
  // Whoever must be cut off must be so as soon as a system is up again: tried for some forty minutes.
  attempts: 10,
  backoffMs: 5_000,
  timeoutMs: 10 * 60_000,
  concurrency: 2,
  /** Who is named by id here and by e-mail there is one person to the handler's lock. */
  exclusive: ({ system, ...person }) => `${system} ${personKey(person)}`,
});
