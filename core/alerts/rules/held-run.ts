/** A synchronisation waits for a person. */
import { heldJobs } from '../../jobs/repository/health.ts';
import { momentText } from '../duration-text.ts';
import { defineRule } from '../rule.ts';

/** So many at once are no matter of one by one. */
const most = 50;

export default defineRule({
  id: 'held-run',
  severity: 'warning',
  summary: 'A run is held, because what it was about to do looks like a fault.',
  mend:
    'Look at its plan (GET /jobs/{id}/plan, or the page of operations), then let it go on (POST /jobs/{id}/release) or ' +
    'drop it (DELETE /jobs/{id}).',
  lastsSeconds: 0,
  find: async ({ database }) =>
    (await heldJobs(database, most)).map(({ id, kind, heldAt, because }) => ({
      subject: id,
      what: [`A run of ${kind} is held since ${momentText(heldAt)} (Dubai).`, ...because].join(' '),
    })),
});
