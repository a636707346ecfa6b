/** The last run of a schedule failed: too rare a thing to show in a rate of failures. */
import { failedSchedules } from '../../jobs/repository/health.ts';
import { momentText } from '../duration-text.ts';
import { defineRule } from '../rule.ts';

export default defineRule({
  id: 'scheduled-run-failed',
  severity: 'warning',
  summary:
    'The last run of a schedule that ended, failed with all its tries. It is over with the next one that does not.',
  mend:
    'Open the job on the page of operations: its error says what failed. Once that is mended, run it again with ' +
    'POST /jobs/{id}/retry, or wait for the next time.',
  lastsSeconds: 0,
  find: async ({ database, schedules }) =>
    (await failedSchedules(database, [...schedules.keys()])).map(
      ({ schedule, jobId, finishedAt, error }) => ({
        subject: schedule,
        what: `${schedule} failed at ${momentText(finishedAt)} (Dubai) with “${error}”: ${jobId}.`,
      }),
    ),
});
