/** Rules: no worker, no scheduler, a worker whose browser writes unknown PDFs. */

import { createHeartbeats } from '../../jobs/repository/heartbeats.ts';
import { createScheduleRuns } from '../../schedules/runs.ts';
import { schedulerHeartbeat } from '../../schedules/schedule.ts';
import { createProcessMetrics } from '../../telemetry/process-metrics.ts';
import { metricsIn } from '../../telemetry/scrape.ts';
import { pluralize } from '../duration-text.ts';
import { waitingJobs } from '../job-health.ts';
import { defineRule, wholeService } from '../rule.ts';

const noWorker = defineRule({
  id: 'no-worker',
  severity: 'critical',
  summary: 'No worker is alive, or none for a kind with waiting jobs.',
  remediation:
    'Start a worker (npm run worker, or docker compose up -d worker). If one should be running, its log shows why it ' +
    'ended; a worker that was started for some kinds runs no others.',
  lastsSeconds: 60,
  async find({ database }) {
    const heartbeats = await createHeartbeats(database).read();
    const served = new Set(
      heartbeats.filter(({ kind, alive }) => kind !== schedulerHeartbeat && alive > 0).map(({ kind }) => kind),
    );
    const unserved = (await waitingJobs(database)).filter(({ kind }) => !served.has(kind));
    if (served.size === 0) {
      const waiting = unserved.reduce((sum, jobs) => sum + jobs.waiting, 0);
      return [
        {
          subject: wholeService,
          what: `No worker is alive; ${waiting === 0 ? 'no job waits' : `${pluralize(waiting, 'job')} waiting`}.`,
        },
      ];
    }
    return unserved.map(({ kind, waiting }) => ({
      subject: kind,
      what: `No worker runs ${kind} jobs; ${pluralize(waiting, 'job')} waiting.`,
    }));
  },
});

const noScheduler = defineRule({
  id: 'no-scheduler',
  severity: 'critical',
  summary: 'No scheduler is alive, but there was one before.',
  remediation:
    'Start a scheduler (npm run scheduler, or docker compose up -d scheduler); its log shows why it ended. It makes up ' +
    'for missed runs as each schedule defines.',
  lastsSeconds: 60,
  async find({ database, schedules }) {
    const heartbeats = await createHeartbeats(database).read();
    if (heartbeats.some(({ kind, alive }) => kind === schedulerHeartbeat && alive > 0)) return [];
    const states = await createScheduleRuns(database).states();
    const registered = [...schedules.keys()].filter(name => states.has(name));
    if (registered.length === 0) return [];
    return [
      {
        subject: wholeService,
        what: `No scheduler is alive: ${pluralize(registered.length, 'schedule')} stopped.`,
      },
    ];
  },
});

/** The name of `unprocessedPdfs` in `core/telemetry/meter.ts`. */
const unprocessedMetric = 'portal_pdfs_unprocessed_total';

const pdfStructureUnknown = defineRule({
  id: 'pdf-structure-unknown',
  severity: 'warning',
  summary: 'A running worker delivered brochures as its browser wrote them: the structure of the PDFs is unknown.',
  remediation:
    'Go back to the previous version of the browser (CHROMIUM_PATH, or the previous image), or upgrade this service; then ' +
    'restart the workers, which resolves the alert. Until then brochures are larger and printed twice, and their number ' +
    'of pages is not checked.',
  lastsSeconds: 0,
  find: async ({ database }) =>
    (await createProcessMetrics(database).read()).flatMap(({ process, instance, snapshot }) => {
      const metric = metricsIn(snapshot).find(({ name }) => name === unprocessedMetric);
      const count = metric?.values[0]?.value ?? 0;
      const what = `${pluralize(count, 'brochure')} delivered as the browser of ${process} ${instance} wrote them.`;
      return count === 0 ? [] : [{ subject: instance, what }];
    }),
});

export default [noWorker, noScheduler, pdfStructureUnknown];
