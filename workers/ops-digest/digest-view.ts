/** Subject and template data of the digest mail. */
import { linkOf } from '../../core/alerts/alert-view.ts';
import { durationText, momentText, pluralize } from '../../core/alerts/duration-text.ts';
import type { Digest } from './contract.ts';

const numbers = new Intl.NumberFormat('en');
const changes = new Intl.NumberFormat('en', { signDisplay: 'always' });

/** The most important facts first. */
export function digestSubject({ day, jobs, alerts, held }: Digest): string {
  const failed = jobs.reduce((sum, one) => sum + one.failed, 0);
  const concerns = [
    ...(alerts.length > 0 ? [`${pluralize(alerts.length, 'open alert')}`] : []),
    ...(held.length > 0 ? [`${pluralize(held.length, 'held run')}`] : []),
    ...(failed > 0 ? [`${pluralize(failed, 'failed job')}`] : []),
  ];
  return `Daily digest, ${day}: ${concerns.join(', ') || 'all well'}`;
}

export function digestView(digest: Digest, subject: string, page: string): object {
  const { errors, fires, held, syncs, systems } = digest;
  return {
    subject,
    page,
    at: momentText(new Date(digest.to)),
    period: `${momentText(new Date(digest.from))} to ${momentText(new Date(digest.to))} (Dubai)`,
    lead: lead(digest),
    alerts: digest.alerts.map(alert => ({
      what: alert.what,
      severity: alert.severity,
      word: alert.severity === 'critical' ? 'Critical' : 'Warning',
      since: momentText(new Date(alert.openedAt)),
      link: linkOf(alert, page),
    })),
    held: held.map(({ jobId, kind, hours }) => ({
      kind,
      lasts: durationText(hours * 3_600),
      url: `${page}/jobs/${jobId}`,
    })),
    jobs: digest.jobs.map(jobView),
    errors: errors.map(error => ({ ...inFigures(error), url: `${page}/jobs/${error.lastJobId}` })),
    syncs: syncs.map(sync => ({ ...inFigures(sync), runs: pluralize(sync.runs, 'run'), isBad: sync.failed > 0 })),
    fires: fires.map(fire => ({
      ...inFigures(fire),
      url: `${page}#schedule-${fire.schedule}`,
      outcome: outcomeTexts[fire.outcome] ?? fire.outcome,
    })),
    systems: systems.map(system => ({ ...inFigures(system), isBad: system.faults > 0 })),
    unknownEffects: digest.unknownEffects,
    notes: notes(digest),
    unusedClients: digest.unusedClients.map(({ name, clientId, lastUsedAt }) => ({
      name,
      clientId,
      last: lastUsedAt === null ? 'never used' : `last used ${momentText(new Date(lastUsedAt)).slice(0, 10)}`,
    })),
  };
}

/** Writes the numbers of a row as text. */
const inFigures = (row: Readonly<Record<string, string | number>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? numbers.format(value) : value]),
  );

function lead({ jobs }: Digest): string {
  const sum = (of: (one: Digest['jobs'][number]) => number) => jobs.reduce((all, one) => all + of(one), 0);
  const succeeded = sum(one => one.succeeded);
  const failed = sum(one => one.failed);
  const change = failed - sum(one => one.before.failed);
  const compared =
    change === 0 ? 'as many as' : `${numbers.format(Math.abs(change))} ${change > 0 ? 'more' : 'fewer'} than`;
  if (succeeded + failed === 0) return 'No job ended.';
  return `${pluralize(succeeded, 'job')} succeeded, ${numbers.format(failed)} failed: ${compared} the day before.`;
}

function jobView({ kind, succeeded, failed, before, typicalSeconds, slowSeconds }: Digest['jobs'][number]) {
  return {
    kind,
    succeeded: numbers.format(succeeded),
    succeededChange: changeText(succeeded - before.succeeded),
    failed: numbers.format(failed),
    failedChange: changeText(failed - before.failed),
    isBad: failed > 0,
    typical: secondsText(typicalSeconds),
    slow: secondsText(slowSeconds),
  };
}

/** `+6` or `−6`; empty without a change. */
const changeText = (change: number): string => (change === 0 ? '' : changes.format(change).replace('-', '−'));

/** `0.8 s`, `42 s`, `3 min`. */
function secondsText(seconds: number | null): string {
  if (seconds === null) return '–';
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

const outcomeTexts: Readonly<Record<string, string>> = {
  'missed-fired': 'missed, made up for later',
  'missed-skipped': 'missed, not made up for',
  'skipped-overlap': 'skipped: the previous run was still in progress',
  'skipped-paused': 'skipped: paused',
};

/** One line each. */
function notes({ sms, links }: Digest): string[] {
  const { balance } = sms;
  const uncertain = sms.unknown > 0 ? `, ${numbers.format(sms.unknown)} possibly sent` : '';
  const money = balance
    ? `Balance: ${balance.amount.toFixed(2)} ${balance.currency}, read ${momentText(new Date(balance.askedAt))}.`
    : 'The balance is unknown.';
  const most = links.most.map(({ name, clicks }) => `${name} (${numbers.format(clicks)})`).join(', ');
  const clicks = `${pluralize(links.clicks, 'click')}, ${numbers.format(links.scans)} of them scans.`;
  return [
    `${numbers.format(sms.sent)} SMS sent${uncertain}, in ${pluralize(sms.parts, 'part')}. ${money}`,
    `${pluralize(links.created, 'short link')} created; ${clicks}${most ? ` Most: ${most}.` : ''}`,
  ];
}
