/** Jobs wait too long for a worker. */
import { waitingJobs } from '../../jobs/repository/health.ts';
import { counted, durationText } from '../duration-text.ts';
import { defineRule } from '../rule.ts';
import { parseWaitingLimits } from '../waiting-limits.ts';

export default defineRule({
  id: 'oldest-waiting',
  severity: 'warning',
  summary: 'A job has waited for a worker for longer than ALERT_WAITING_SECONDS allows its kind.',
  mend:
    'Look at the queue on the page of operations. If the workers are busy, start more of them; if they are idle, look ' +
    'at their logs. If the wait is as it should be, raise ALERT_WAITING_SECONDS for this kind.',
  lastsSeconds: 0,
  async find({ database, limits, now }) {
    const allowed = parseWaitingLimits(limits.ALERT_WAITING_SECONDS);
    if (!allowed) throw new Error('ALERT_WAITING_SECONDS was not checked at start');
    return (await waitingJobs(database)).flatMap(({ kind, waiting, since }) => {
      const seconds = (now.getTime() - since.getTime()) / 1_000;
      const limit = allowed.ofKind.get(kind) ?? allowed.ofAll;
      if (seconds <= limit) return [];
      const what = `${counted(waiting, `${kind} job`)} waiting, one of them for ${durationText(seconds)}; ${durationText(limit)} is allowed.`;
      return [{ subject: kind, what }];
    });
  },
});
