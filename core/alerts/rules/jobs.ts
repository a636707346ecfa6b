/** Rules: jobs that wait too long, fail too often or are held; callbacks that were given up. */

import { parseWaitingLimits } from '../config.ts';
import { durationText, momentText, pluralize } from '../duration-text.ts';
import { failures, givenUpCallbacks, heldJobs, jobsWithoutSpace, waitingJobs } from '../job-health.ts';
import { defineRule, wholeService } from '../rule.ts';

const oldestWaiting = defineRule({
  id: 'oldest-waiting',
  severity: 'warning',
  summary: 'A job has waited for a worker for longer than ALERT_WAITING_SECONDS allows its kind.',
  remediation:
    'Open the queue on the operations page. If the workers are busy, start more of them; if they are idle, read their ' +
    'logs. If such a wait is acceptable, raise ALERT_WAITING_SECONDS for this kind.',
  lastsSeconds: 0,
  async find({ database, limits, now }) {
    const allowed = parseWaitingLimits(limits.ALERT_WAITING_SECONDS);
    if (!allowed) throw new Error('ALERT_WAITING_SECONDS was not validated at the start');
    return (await waitingJobs(database)).flatMap(({ kind, waiting, since }) => {
      const seconds = (now.getTime() - since.getTime()) / 1_000;
      const limit = allowed.byKind.get(kind) ?? allowed.default;
      if (seconds <= limit) return [];
      const what = `${pluralize(waiting, `${kind} job`)} waiting, one of them for ${durationText(seconds)}; the limit is ${durationText(limit)}.`;
      return [{ subject: kind, what }];
    });
  },
});

const failureRateHours = 1;

const failureRate = defineRule({
  id: 'failure-rate',
  severity: 'critical',
  summary:
    'Of the jobs of a kind that ended within an hour, at least ALERT_FAILURE_MIN_JOBS and ALERT_FAILURE_PERCENT failed; failures caused by the input do not count.',
  remediation:
    'Open the last failures on the operations page: their errors show what failed. If it is an outside system, check ' +
    'whether it is down; once it works again, run the jobs again there.',
  lastsSeconds: 0,
  async find({ database, contracts, limits }) {
    const found = await failures(database, [...contracts.keys()], failureRateHours);
    return found.flatMap(({ kind, failed, ended, error }) => {
      const percent = (100 * failed) / ended;
      if (failed < limits.ALERT_FAILURE_MIN_JOBS || percent < limits.ALERT_FAILURE_PERCENT) return [];
      const what = `${pluralize(failed, `${kind} job`)} of ${ended} failed within an hour (${Math.round(percent)}%), most with “${error}”.`;
      return [{ subject: kind, what }];
    });
  },
});

const maxHeldRuns = 50;

const heldRun = defineRule({
  id: 'held-run',
  severity: 'warning',
  summary: 'A run is held, because its plan looks wrong.',
  remediation: 'Review the names in its plan on the job’s page, then release or drop it there.',
  lastsSeconds: 0,
  find: async ({ database }) =>
    (await heldJobs(database, maxHeldRuns)).map(({ id, kind, heldAt, because }) => ({
      subject: id,
      what: [`A run of ${kind} is held since ${momentText(heldAt)} (Dubai).`, ...because].join(' '),
    })),
});

const givenUpHours = 24;

const callbacksGivenUp = defineRule({
  id: 'callbacks-given-up',
  severity: 'warning',
  summary: `Callbacks were given up within the last ${givenUpHours} hours: all tries to deliver them failed.`,
  remediation:
    'The pages of the jobs show the responses of the receivers. Contact the operators of the receivers; then send the ' +
    'callbacks again from these pages. The results are still available.',
  lastsSeconds: 0,
  async find({ database }) {
    const count = await givenUpCallbacks(database, givenUpHours);
    const what = `${pluralize(count, 'callback')} given up within the last ${givenUpHours} hours.`;
    return count === 0 ? [] : [{ subject: wholeService, what }];
  },
});

const storageFull = defineRule({
  id: 'storage-full',
  severity: 'critical',
  summary: 'Jobs wait because a disk is full.',
  remediation:
    'Free space on the disks of DATA_DIR and STORAGE_URL (npm run doctor names the full one), or lower ' +
    'RESULT_RETENTION_HOURS and PHOTO_CACHE_MB. The jobs then continue by themselves.',
  lastsSeconds: 0,
  async find({ database }) {
    const count = await jobsWithoutSpace(database);
    const what = `${pluralize(count, 'job')} ${count === 1 ? 'waits' : 'wait'} for space on a disk.`;
    return count === 0 ? [] : [{ subject: wholeService, what }];
  },
});

export default [oldestWaiting, failureRate, heldRun, callbacksGivenUp, storageFull];
