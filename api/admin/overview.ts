/** The page of operations: whether the service works, and what wants a person. */
import { listOpenAlerts } from '../../core/alerts/open-alerts.ts';
import { countJobs } from '../../core/jobs/repository/open-counts.ts';
import {
  createOpsOverview,
  type FailedJob,
  type HeldJob,
  type ProcessSign,
} from '../../core/jobs/repository/overview.ts';
import { untilAborted } from '../../core/runtime/timeout.ts';
import { schedulerHeartbeat } from '../../core/schedules/schedule.ts';
import { checkReadiness, type Readiness } from '../operations/health/readiness.ts';
import type { ApiServices } from '../services.ts';
import { reportWords, timeView } from './format.ts';
import { pausedKinds, queueGroups } from './queues-view.ts';
import { scheduleRows } from './schedules-view.ts';
import { systemRows } from './systems-view.ts';

/** No list is longer than this, however much there is to tell. */
const most = { processes: 50, held: 20, failures: 20, alerts: 20, findings: 30 };

/** A database that does not answer must not hold up the status, in ms. */
const patienceMs = 3_000;

/** Everything at once, a query or two a section. */
export async function overviewView(services: ApiServices): Promise<object> {
  const [readiness, sections] = await Promise.all([
    checkReadiness(services),
    untilAborted(sectionsOf(services), AbortSignal.timeout(patienceMs)).catch((error: unknown) => {
      services.logger.error({ err: error }, 'the page of operations shows its status only');
      return { isAway: true };
    }),
  ]);
  return { status: statusView(readiness), now: timeView(new Date()), ...sections };
}

async function sectionsOf(services: ApiServices): Promise<object> {
  const { config, contracts, database, scheduleRuns: fires, schedules } = services;
  const rows = createOpsOverview(database);
  const kinds = [...contracts.keys()];
  const [census, ends, processes, held, failures, lastRuns, states, alerts, systems, paused] =
    await Promise.all([
      countJobs(database, kinds),
      rows.dayEnds(kinds),
      rows.processes(most.processes),
      rows.heldJobs(most.held),
      rows.failures(most.failures),
      fires.lastRuns([...schedules.keys()]),
      fires.states(),
      listOpenAlerts(database, most.alerts),
      systemRows(services),
      pausedKinds(services),
    ]);
  return {
    alerts: alerts.map(alert => ({
      ...alert,
      isCritical: alert.severity === 'critical',
      opened: timeView(new Date(alert.openedAt)),
      snoozed: alert.snoozedUntil && timeView(new Date(alert.snoozedUntil)),
    })),
    held: held.map(heldRow),
    heldMore: census.reduce((sum, kind) => sum + kind.held, 0) - held.length,
    groups: queueGroups(contracts, { census, ends, processes, paused }, config.BASE_PATH),
    processes: processes.map(processRow),
    schedules: scheduleRows(schedules, { states, lastRuns }, config),
    systems,
    failures: failures.map(failureRow),
  };
}

const statusWords = {
  pass: 'Ready',
  warn: 'Ready, with warnings',
  fail: 'Not ready',
} as const;

function statusView({ status, checks }: Readiness): object {
  // Without a worker the same is wrong with every kind of job: each finding is told once.
  const findings = new Map<string, { what: string[]; isFail: boolean }>();
  for (const [name, found] of Object.entries(checks)) {
    for (const check of found.filter(({ status: how }) => how !== 'pass')) {
      const { output = '' } = check;
      const finding = findings.get(output) ?? { what: [], isFail: false };
      finding.what.push(name.split(':')[0] ?? name);
      finding.isFail ||= check.status === 'fail';
      findings.set(output, finding);
    }
  }
  const wrong = [...findings].map(([output, { what, isFail }]) => ({
    what: what.join(', '),
    isFail,
    output,
  }));
  return {
    kind: status,
    words: statusWords[status],
    wrong: wrong.slice(0, most.findings),
    more: Math.max(0, wrong.length - most.findings),
  };
}

function heldRow({ id, kind, clientId, heldAt, report }: HeldJob): object {
  const { changes, reasons } = reportWords(report);
  return { id, kind, clientId, held: timeView(heldAt), changes, reasons };
}

function processRow({ id, isAlive, seenAt, kinds }: ProcessSign): object {
  const { host, pid } = /^(?<host>.*)-(?<pid>\d+)-[0-9a-f]{8}$/.exec(id)?.groups ?? { host: id, pid: '' };
  const isScheduler = kinds.some(({ kind }) => kind === schedulerHeartbeat);
  const busy = kinds.filter(({ running }) => running > 0);
  return {
    id,
    host,
    pid,
    isAlive,
    seen: timeView(seenAt),
    does: isScheduler ? 'fires the schedules' : kinds.map(({ kind }) => kind).join(', '),
    running: isScheduler ? '' : busy.map(({ kind, running }) => `${running} ${kind}`).join(', ') || 'nothing',
  };
}

function failureRow({ id, kind, clientId, finishedAt, error }: FailedJob): object {
  return {
    id,
    kind,
    clientId,
    ended: finishedAt && timeView(finishedAt),
    title: error?.title ?? 'It failed',
    detail: error?.detail.slice(0, 300),
  };
}
