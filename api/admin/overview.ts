/** View of the overview page: status, problems, held runs, queues, failures, processes, schedules, systems. */
import { discoverSystems, type System } from '../../core/integrations/kit/define-system.ts';
import { type Conditions, readConditions } from '../../core/monitoring/conditions.ts';
import type { ServiceConfig } from '../../core/runtime/service-config.ts';
import { withTimeout } from '../../core/runtime/timeout.ts';
import { offReasonOf, type ScheduleConfig } from '../../core/schedules/config.ts';
import type { LastRun, ScheduleState } from '../../core/schedules/runs.ts';
import { dueTimes, type Schedule, schedulerHeartbeat } from '../../core/schedules/schedule.ts';
import { groupBy } from '../../core/values/group-by.ts';
import { checkReadiness, type Readiness } from '../operations/health/readiness.ts';
import type { ApiServices } from '../services.ts';
import { failureCauses } from './failures.ts';
import { reportView, timeView } from './format.ts';
import { createOverviewQueries, type ProcessHeartbeat } from './overview-queries.ts';
import { problemsOf } from './problems.ts';
import { pausedKinds, queueGroups } from './queues-view.ts';

const max = { processes: 50, held: 20, failures: 6, problems: 30, findings: 30 };

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
  const [conditions, dayCounts, processes, held, failures, lastRuns, states, paused] = await Promise.all([
    readConditions(services.conditions),
    queries.dayCounts(kinds),
    queries.processes(max.processes),
    queries.heldJobs(max.held),
    failureCauses(services, 24, max.failures),
    scheduleRuns.lastRuns([...schedules.keys()]),
    scheduleRuns.states(),
    pausedKinds(services),
  ]);
  const { openCounts } = conditions;
  return {
    problems: problemsOf(conditions).slice(0, max.problems),
    held: held.map(({ heldAt, report, ...run }) => ({ ...run, held: timeView(heldAt), ...reportView(report) })),
    heldMore: openCounts.reduce((sum, kind) => sum + kind.held, 0) - held.length,
    groups: queueGroups(contracts, { openCounts, dayCounts, processes, paused }, config.BASE_PATH),
    processes: processes.map(processRow),
    schedules: scheduleRows(schedules, { states, lastRuns }, config),
    systems: await systemRows(services, conditions),
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

const outcomes: Record<LastRun['outcome'], string> = {
  fired: '',
  'missed-fired': 'caught up later',
  'missed-skipped': 'missed, no scheduler was running',
  'skipped-overlap': 'skipped, the previous job had not ended',
  'skipped-paused': 'skipped, the schedule was paused',
};

function scheduleRows(
  schedules: ReadonlyMap<string, Schedule>,
  known: { states: ReadonlyMap<string, ScheduleState>; lastRuns: readonly LastRun[] },
  config: ScheduleConfig & ServiceConfig,
): object[] {
  return [...schedules.values()].map(schedule => {
    const { name, summary, job, cron, timeZone } = schedule;
    const state = known.states.get(name);
    const last = known.lastRuns.find(run => run.schedule === name);
    const off = offReasonOf(schedule, config);
    return {
      name,
      summary,
      kind: job.kind,
      cron,
      words: cronWords(cron),
      timeZone,
      next: state?.pausedAt || off ? null : timeView(dueTimes(schedule).next(new Date())),
      paused: state?.pausedAt ? { ...timeView(state.pausedAt), by: state.pausedBy ?? 'unknown' } : null,
      off,
      last: last ? lastRun(last) : null,
    };
  });
}

function lastRun({ dueAt, outcome, manual, by, jobId, jobState }: LastRun): object {
  const made = outcome === 'fired' || outcome === 'missed-fired';
  const state = made ? (jobState ?? 'its job is deleted') : '';
  return {
    ...timeView(dueAt),
    outcome: [state, outcomes[outcome]].filter(part => part !== '').join(', '),
    by: manual ? by : null,
    jobId,
    failed: made && jobState === 'failed',
  };
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const isNumber = (field = ''): boolean => /^\d+$/.test(field);
const stepOf = (field: string): string | undefined => /^\*\/(\d+)$/.exec(field)?.[1];

/** Common cron expressions in words; others are returned unchanged. */
export function cronWords(expression: string): string {
  const fields = expression.split(' ');
  // A fixed second is omitted.
  if (fields.length === 6 && !isNumber(fields[0])) return expression;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields.slice(-5);
  if (month !== '*') return expression;
  const daily = timeOfDay(minute, hour);
  if (daily === undefined) return expression;
  if (day === '*' && weekday === '*') return isNumber(hour) ? `every day at ${daily}` : daily;
  if (!isNumber(hour)) return expression;
  if (day === '*' && isNumber(weekday)) return `every ${weekdays[Number(weekday)] ?? weekday} at ${daily}`;
  return isNumber(day) && weekday === '*' ? `on day ${day} of the month at ${daily}` : expression;
}

/** The time of day, or how often within a day. */
function timeOfDay(minute: string, hour: string): string | undefined {
  if (isNumber(minute) && isNumber(hour)) return `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (hour === '*') {
    if (minute === '*') return 'every minute';
    if (minute === '0') return 'every hour';
    if (isNumber(minute)) return `every hour at minute ${minute}`;
    if (/^[\d,]+$/.test(minute)) return `every hour at minutes ${minute.split(',').join(' and ')}`;
    const step = stepOf(minute);
    return step && `every ${step} minutes`;
  }
  const hours = stepOf(hour);
  return hours && minute === '0' ? `every ${hours} hours` : undefined;
}

let found: Promise<System[]> | undefined;

async function systemRows(
  { systems }: Pick<ApiServices, 'systems'>,
  { jobsWaitingForSystems }: Conditions,
): Promise<object[]> {
  found ??= discoverSystems();
  return (await found).map(({ name, title, configuredBy }) => {
    const source = systems.sourceOf(configuredBy);
    const circuit = systems.circuitOf(name) ?? 'closed';
    return {
      title,
      source: { configured: 'itself', sandbox: 'the sandbox', none: `not configured (${configuredBy})` }[source],
      isMissing: source === 'none',
      circuit,
      isOpen: circuit !== 'closed',
      waiting: jobsWaitingForSystems.find(({ system }) => system === name)?.jobs ?? 0,
    };
  });
}
