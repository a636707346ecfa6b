/** Jobs wait, and no process is there that would take them. */
import { waitingJobs } from '../../jobs/repository/health.ts';
import { createWorkerSigns } from '../../jobs/repository/heartbeats.ts';
import { schedulerSign } from '../../schedules/schedule.ts';
import { counted } from '../duration-text.ts';
import { defineRule, wholeService } from '../rule.ts';

export default defineRule({
  id: 'no-worker',
  severity: 'critical',
  summary: 'No worker is alive, or none that takes the kind of a job that waits.',
  mend:
    'Start a worker (npm run worker, or docker compose up -d worker). If one should be running, its log says why ' +
    'it ended; a worker that was started for some kinds only takes no others.',
  lastsSeconds: 60,
  async find({ database }) {
    const signs = await createWorkerSigns(database).read();
    const served = new Set(
      signs.filter(({ kind, alive }) => kind !== schedulerSign && alive > 0).map(({ kind }) => kind),
    );
    const unserved = (await waitingJobs(database)).filter(({ kind }) => !served.has(kind));
    if (served.size === 0) {
      const waiting = unserved.reduce((sum, jobs) => sum + jobs.waiting, 0);
      return [
        {
          subject: wholeService,
          what: `No worker is alive; ${waiting === 0 ? 'no job waits' : `${counted(waiting, 'job')} waiting`}.`,
        },
      ];
    }
    return unserved.map(({ kind, waiting }) => ({
      subject: kind,
      what: `No worker takes ${kind} jobs; ${counted(waiting, 'job')} waiting.`,
    }));
  },
});
