/** View of the overview page: status, problems, held runs, queues, failures, processes, schedules, systems. */
import { discoverSystems, type System } from '../../core/integrations/kit/define-system.ts';
import { type Conditions, readConditions } from '../../core/monitoring/conditions.ts';
import type { ServiceConfig } from '../../core/runtime/service-config.ts';
import { withTimeout } from '../../core/runtime/timeout.ts';
import { offReasonOf, type ScheduleConfig } from '../../core/schedules/config.ts';
import type { LastRun, ScheduleState } from '../../core/schedules/runs.ts';
import { dueTimes, type Schedule, schedulerHeartbeat } from '../../core/schedules/schedule.ts';
import { checkReadiness } from '../operations/health/readiness.ts';
import type { ApiServices } from '../services.ts';
import { failureCauses } from './failures.ts';
import { reportView, timeView } from './format.ts';
import { createOverviewQueries, type ProcessHeartbeat } from './overview-queries.ts';
import { openCircuit, problemsOf } from './problems.ts';
import { pausedKinds, queueGroups } from './queues-view.ts';
import { statusView, worstFacts } from './status.ts';

const max = { processes: 50, held: 20, failures: 6, problems: 30 };

/** After this time the page shows the status only. */
const databaseTimeoutMs = 3_000;

export async function overviewView(services: ApiServices) {
  const [readiness, sections] = await Promise.all([
    checkReadiness(services),
    withTimeout(sectionsOf(services), databaseTimeoutMs).catch((error: unknown) => {
      services.logger.error({ err: error }, 'cannot read the database; the overview page shows the status only');
      return { isAway: true } as const;
    }),
  ]);
  const status = statusView(readiness, 'facts' in sections ? sections.facts : []);
  return { title: status.words, status, ...sections };
}

async function sectionsOf(services: ApiServices) {
  const { config, contracts, database, scheduleRuns, schedules } = services;
  const queries = createOverviewQueries(database);
  const kinds = [...contracts.keys()];
  const [conditions, dayCounts, processes, held, failed, deferred, failures, lastRuns, states, paused] =
    await Promise.all([
      readConditions(services.conditions),
      queries.dayCounts(kinds),
      queries.processes(max.processes),
      queries.heldJobs(max.held),
      queries.countFailures(),
      queries.deferred(),
      failureCauses(services, 24, max.failures),
      scheduleRuns.lastRuns([...schedules.keys()]),
      scheduleRuns.states(),
      pausedKinds(services),
    ]);
  const { openCounts } = conditions;
  const systems = await systemRows(services, conditions);
  const heldCount = openCounts.reduce((sum, kind) => sum + kind.held, 0);
  const problems = [...systems.filter(({ isOpen }) => isOpen).map(openCircuit), ...problemsOf(conditions)];
  return {
    facts: worstFacts(problems, { held: heldCount, failed }),
    problems: problems.slice(0, max.problems),
    moreProblems: Math.max(0, problems.length - max.problems),
    held: held.map(({ heldAt, report, ...run }) => ({ ...run, held: timeView(heldAt), ...reportView(report) })),
    heldMore: heldCount - held.length,
    groups: queueGroups(contracts, { openCounts, dayCounts, processes, paused, deferred }, config.BASE_PATH),
    processes: processes.map(processRow),
    schedules: scheduleRows(schedules, { states, lastRuns }, config),
    systems,
    failures,
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

async function systemRows({ systems }: Pick<ApiServices, 'systems'>, { jobsWaitingForSystems }: Conditions) {
  found ??= discoverSystems();
  return (await found).map(({ name, title, configuredBy }) => {
    const source = systems.sourceOf(configuredBy);
    const circuit = systems.circuitOf(name) ?? 'closed';
    return {
      name,
      title,
      source: { configured: 'itself', sandbox: 'the sandbox', none: `not configured (${configuredBy})` }[source],
      isMissing: source === 'none',
      circuit,
      isOpen: circuit !== 'closed',
      waiting: jobsWaitingForSystems.find(({ system }) => system === name)?.jobs ?? 0,
    };
  });
}
