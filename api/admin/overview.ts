/** View of the overview page: status, alerts, held runs, queues, failures, processes, schedules, systems. */
import { listOpenAlerts } from '../../core/alerts/open-alerts.ts';
import { kindOfJobId } from '../../core/jobs/contract.ts';
import { countOpenJobs } from '../../core/jobs/repository/open-counts.ts';
import { withTimeout } from '../../core/runtime/timeout.ts';
import { schedulerHeartbeat } from '../../core/schedules/schedule.ts';
import { groupBy } from '../../core/values/group-by.ts';
import { checkReadiness, type Readiness } from '../operations/health/readiness.ts';
import type { ApiServices } from '../services.ts';
import { failureCauses } from './failures.ts';
import { reportView, timeView } from './format.ts';
import { createOverviewQueries, type ProcessHeartbeat } from './overview-queries.ts';
import { pausedKinds, queueGroups } from './queues-view.ts';
import { scheduleRows } from './schedules-view.ts';
import { snoozeOf } from './snooze-action.ts';
import { systemRows } from './systems-view.ts';

const max = { processes: 50, held: 20, failures: 6, alerts: 20, findings: 30 };

/** After this time the page shows the status only. */
const databaseTimeoutMs = 3_000;

export async function overviewView(services: ApiServices) {
  const [readiness, sections] = await Promise.all([
    checkReadiness(services),
    withTimeout(sectionsOf(services), databaseTimeoutMs).catch((error: unknown) => {
      services.logger.error({ err: error }, 'cannot read the database; the overview page shows the status only');
      return { isAway: true };
    }),
  ]);
  return { title: statusTexts[readiness.status], status: statusView(readiness), ...sections };
}

async function sectionsOf(services: ApiServices): Promise<object> {
  const { config, contracts, database, scheduleRuns, schedules } = services;
  const queries = createOverviewQueries(database);
  const kinds = [...contracts.keys()];
  const [openCounts, dayCounts, processes, held, failures, lastRuns, states, alerts, systems, paused] =
    await Promise.all([
      countOpenJobs(database, kinds),
      queries.dayCounts(kinds),
      queries.processes(max.processes),
      queries.heldJobs(max.held),
      failureCauses(services, 24, max.failures),
      scheduleRuns.lastRuns([...schedules.keys()]),
      scheduleRuns.states(),
      listOpenAlerts(database, max.alerts),
      systemRows(services),
      pausedKinds(services),
    ]);
  return {
    alerts: alerts.map(alert => ({
      ...alert,
      isCritical: alert.severity === 'critical',
      isJob: kindOfJobId(alert.subject) !== undefined,
      opened: timeView(new Date(alert.openedAt)),
      snoozed: snoozeOf(alert),
    })),
    held: held.map(({ heldAt, report, ...run }) => ({ ...run, held: timeView(heldAt), ...reportView(report) })),
    heldMore: openCounts.reduce((sum, kind) => sum + kind.held, 0) - held.length,
    groups: queueGroups(contracts, { openCounts, dayCounts, processes, paused }, config.BASE_PATH),
    processes: processes.map(processRow),
    schedules: scheduleRows(schedules, { states, lastRuns }, config),
    systems,
    failures,
  };
}

const statusTexts = { pass: 'Ready', warn: 'Ready, with warnings', fail: 'Not ready' } as const;

function statusView({ status, checks }: Readiness): object {
  const findings = Object.entries(checks).flatMap(([name, found]) =>
    found.filter(check => check.status !== 'pass').map(check => ({ ...check, part: name.split(':')[0] })),
  );
  // Without a worker all job kinds have the same finding.
  const wrong = [...groupBy(findings, ({ output = '' }) => output)].map(([output, equal]) => ({
    what: equal.map(({ part }) => part).join(', '),
    isFail: equal.some(check => check.status === 'fail'),
    output,
  }));
  return {
    kind: status,
    words: statusTexts[status],
    wrong: wrong.slice(0, max.findings),
    more: Math.max(0, wrong.length - max.findings),
  };
}

function processRow({ id, isAlive, seenAt, kinds }: ProcessHeartbeat): object {
  const { host, pid } = /^(?<host>.*)-(?<pid>\d+)-[0-9a-f]{8}$/.exec(id)?.groups ?? { host: id, pid: '' };
  const isScheduler = kinds.some(({ kind }) => kind === schedulerHeartbeat);
  const busy = kinds.filter(({ running }) => running > 0);
  return {
    id,
    host,
    pid,
    isAlive,
    seen: timeView(seenAt),
    role: isScheduler ? 'scheduler' : kinds.map(({ kind }) => kind).join(', '),
    running: isScheduler ? '' : busy.map(({ kind, running }) => `${running} ${kind}`).join(', ') || 'none',
  };
}
