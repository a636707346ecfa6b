/** The conditions that a person must act on, as cards of the overview page; held runs have a section of their own. */
import type { Conditions } from '../../core/monitoring/conditions.ts';
import { durationText, pluralize, timeView } from './format.ts';

/** The same values as in `deploy/prometheus/alerts.yaml`, which a test compares. */
export const limits = {
  waitingSeconds: 900,
  brochureWaitingSeconds: 120,
  failedShare: 0.2,
  failedJobs: 5,
  smsBalance: 100,
  listingActionDays: 3,
} as const;

const brochureKinds: readonly string[] = ['pdf', 'pdf-preview'];

export interface Problem {
  /** The alert of Prometheus for the same condition. */
  alert: string;
  /** The kind of job, schedule, system or client; empty for the whole service. */
  subject: string;
  what: string;
  fix: string;
  /** Page below `/ops`. */
  link?: { path: string; label: string };
}

/** The worst first. */
export const problemsOf = (conditions: Conditions): Problem[] => [
  ...conditions.jobsWaitingForSystems.map(failingSystem),
  ...conditions.failedSchedules.map(failedSchedule),
  ...conditions.missedSchedules.map(missedSchedule),
  ...conditions.lastHour.flatMap(failingKind),
  ...conditions.openCounts.flatMap(waitingJobs),
  ...serviceProblems(conditions),
  ...conditions.expiringSecrets.map(expiringSecret),
  ...conditions.listingActions.flatMap(urgentAction),
];

/** A circuit of the API process that answers. */
export const openCircuit = ({ name, title }: { name: string; title: string }): Problem => ({
  alert: 'PortalCircuitOpen',
  subject: name,
  what: `Calls to ${title.replace(/^The /, 'the ')} are paused: after repeated faults its circuit is open.`,
  fix: 'Check that the system is up and accepts its credentials (npm run doctor). The process tries again by itself.',
  link: { path: '#systems', label: 'Show outside systems' },
});

function waitingJobs({ kind, queued, oldestWaitingSeconds }: Conditions['openCounts'][number]): Problem[] {
  const isBrochure = brochureKinds.includes(kind);
  const limit = isBrochure ? limits.brochureWaitingSeconds : limits.waitingSeconds;
  if (oldestWaitingSeconds <= limit) return [];
  return [
    {
      alert: isBrochure ? 'PortalBrochuresWaiting' : 'PortalJobsWaiting',
      subject: kind,
      what: `${pluralize(queued, `${kind} job`)} waiting, one of them for ${durationText(oldestWaitingSeconds * 1_000)}.`,
      fix: 'If the workers are busy, start more of them; if they are idle, read their logs.',
      link: { path: `/jobs?kind=${kind}&state=queued`, label: 'Show jobs' },
    },
  ];
}

function failingKind({ kind, ended, failed }: Conditions['lastHour'][number]): Problem[] {
  if (failed < limits.failedJobs || failed / ended < limits.failedShare) return [];
  return [
    {
      alert: 'PortalJobsFailing',
      subject: kind,
      what: `${pluralize(failed, `${kind} job`)} of ${ended} failed within an hour.`,
      fix: 'The causes show what failed. When it works again, retry all jobs of the cause there.',
      link: { path: '/failures', label: 'Show causes' },
    },
  ];
}

const failedSchedule = ({ name, jobId, finishedAt, error }: Conditions['failedSchedules'][number]): Problem => ({
  alert: 'PortalScheduleFailed',
  subject: name,
  what: `The last run of ${name} failed (${timeView(finishedAt).clock}): ${error ?? 'without an error'}.`,
  fix: 'The error of its job shows what failed. Fix that, then retry the job, or wait for the next run.',
  link: { path: `/jobs/${jobId}`, label: 'Open the job' },
});

const missedSchedule = ({ name, dueAt }: Conditions['missedSchedules'][number]): Problem => ({
  alert: 'PortalScheduleMissed',
  subject: name,
  what: `${name} was due at ${timeView(dueAt).clock} and did not run.`,
  fix: 'Check that a scheduler is alive. If the run is needed now, run the schedule.',
  link: { path: `#schedule-${name}`, label: 'Show the schedule' },
});

const failingSystem = ({ system, jobs }: Conditions['jobsWaitingForSystems'][number]): Problem => ({
  alert: 'PortalSystemFailing',
  subject: system,
  what: `${pluralize(jobs, 'job')} ${jobs === 1 ? 'waits' : 'wait'}, because calls to ${system} fail.`,
  fix: 'Check that the system is up and accepts its credentials (npm run doctor). The jobs continue by themselves.',
  link: { path: '#systems', label: 'Show outside systems' },
});

function serviceProblems({ jobsWithoutSpace, callbacksGivenUp, smsBalance }: Conditions): Problem[] {
  const problems: Problem[] = [];
  if (jobsWithoutSpace > 0)
    problems.push({
      alert: 'PortalStorageFull',
      subject: '',
      what: `${pluralize(jobsWithoutSpace, 'job')} ${jobsWithoutSpace === 1 ? 'waits' : 'wait'} for space on a disk.`,
      fix: 'Free space on the disks of DATA_DIR and STORAGE_URL (npm run doctor names the full one), or lower RESULT_RETENTION_HOURS and PHOTO_CACHE_MB. The jobs continue by themselves.',
    });
  if (callbacksGivenUp > 0)
    problems.push({
      alert: 'PortalCallbacksGivenUp',
      subject: '',
      what: `${pluralize(callbacksGivenUp, 'callback')} given up within the last 24 hours.`,
      fix: 'The pages of the jobs show the answers of the receivers. Contact their operators, then send the callbacks again there.',
    });
  if (smsBalance && smsBalance.amount < limits.smsBalance)
    problems.push({
      alert: 'PortalSmsBalanceLow',
      subject: '',
      what: `The balance at the SMS gateway is ${smsBalance.amount.toFixed(2)} ${smsBalance.currency}.`,
      fix: 'Top up the account at the SMS gateway: without balance no message is sent.',
    });
  return problems;
}

const expiringSecret = ({ clientId, name, expiresAt }: Conditions['expiringSecrets'][number]): Problem => ({
  alert: 'PortalSecretExpiring',
  subject: clientId,
  what: `The client ${name} (${clientId}) still uses a replaced secret, which expires ${timeView(expiresAt).away}.`,
  fix: 'Give the client its new secret before then; afterwards it gets no token.',
});

function urgentAction({ listing, action, daysLeft }: Conditions['listingActions'][number]): Problem[] {
  if (daysLeft >= limits.listingActionDays) return [];
  const due = daysLeft < 0 ? 'now' : `within ${durationText(daysLeft * 86_400_000)}`;
  return [
    {
      alert: 'PortalListingAction',
      subject: listing,
      what: `The listing portal acts on listing ${listing} ${due}: ${action}.`,
      fix: 'Correct the listing at the portal, or dispute the action there. The entry ends with the portal’s next event.',
    },
  ];
}
