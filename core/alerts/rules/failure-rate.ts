/** Too many jobs of a kind fail. */
import { failures } from '../../jobs/repository/health.ts';
import { counted } from '../duration-text.ts';
import { defineRule } from '../rule.ts';

const hours = 1;

export default defineRule({
  id: 'failure-rate',
  severity: 'critical',
  summary:
    'Of the jobs of a kind that ended within an hour, at least ALERT_FAILURE_MIN_JOBS and ALERT_FAILURE_PERCENT failed, those with wrong input apart.',
  mend:
    'Open the last failures on the page of operations: their errors say what failed. If it is an outside system, see ' +
    'whether it is down; once it is well again, run the jobs again with POST /jobs/{id}/retry.',
  lastsSeconds: 0,
  async find({ database, contracts, limits }) {
    const found = await failures(database, [...contracts.keys()], hours);
    return found.flatMap(({ kind, failed, ended, error }) => {
      const percent = (100 * failed) / ended;
      if (failed < limits.ALERT_FAILURE_MIN_JOBS || percent < limits.ALERT_FAILURE_PERCENT) return [];
      const what = `${counted(failed, `${kind} job`)} of ${ended} failed within an hour (${Math.round(percent)}%), most with “${error}”.`;
      return [{ subject: kind, what }];
    });
  },
});
