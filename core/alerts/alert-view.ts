/** Subject and template data of alert mails. */
import { kindOfJobId } from '../jobs/contract.ts';
import type { Alert, AlertNews } from './alert.ts';
import { durationText, momentText, pluralize } from './duration-text.ts';
import { wholeService } from './rule.ts';

/** Each has a contrast of at least 5:1 to white, as text and as background. */
const colours = { critical: '#A32018', warning: '#8A5300', resolved: '#1B6B3A' };
const maxSubjectLength = 140;

/** The most important fact first, because phones show only the beginning. */
export function alertSubject({ opened, reminded, resolved }: AlertNews): string {
  const critical = opened.filter(({ severity }) => severity === 'critical').length;
  const [first] = critical > 0 ? opened.filter(({ severity }) => severity === 'critical') : opened;
  if (first) {
    const others = opened.length - 1;
    const more = others > 0 ? ` (and ${others} more)` : '';
    return shorten(`${critical > 0 ? 'Critical' : 'Warning'}: ${first.what}`, more);
  }
  if (reminded.length > 0) return `Still open: ${pluralize(reminded.length, 'alert')}`;
  const [alert] = resolved;
  return alert && resolved.length === 1
    ? shorten(`Resolved: ${alert.what}`, '')
    : `Resolved: ${pluralize(resolved.length, 'alert')}`;
}

function shorten(text: string, end: string): string {
  const maxLength = maxSubjectLength - end.length;
  return (text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).trimEnd()}…`) + end;
}

export type AlertView = ReturnType<typeof alertView>;

export function alertView(news: AlertNews, subject: string, page: string) {
  const at = new Date(news.at);
  const sections = [
    { title: 'New', alerts: news.opened },
    { title: 'Still open', alerts: news.reminded },
    { title: 'Resolved', alerts: news.resolved },
  ]
    .filter(({ alerts }) => alerts.length > 0)
    .map(({ title, alerts }) => ({ title, alerts: alerts.map(alert => shownAlert(alert, at, page)) }));
  return { subject, sections, page, at: momentText(at) };
}

function shownAlert(alert: Alert, at: Date, page: string) {
  const { rule, subject, severity, what, mend } = alert;
  const opened = new Date(alert.openedAt);
  const secondsUntil = (end: Date) => (end.getTime() - opened.getTime()) / 1_000;
  const shown = { what, rule, subject: subject === wholeService ? undefined : subject };
  if (alert.resolvedAt !== null) {
    const when = `From ${momentText(opened)} for ${durationText(secondsUntil(new Date(alert.resolvedAt)))}`;
    // Without a link: the operations page shows open alerts.
    return { ...shown, word: 'Resolved', colour: colours.resolved, when, mend: undefined, link: undefined };
  }
  const lasts = secondsUntil(at) >= 60 ? `, for ${durationText(secondsUntil(at))}` : '';
  return {
    ...{ ...shown, word: severity === 'critical' ? 'Critical' : 'Warning', colour: colours[severity] },
    ...{ when: `Since ${momentText(opened)}${lasts}`, mend, link: linkOf(alert, page) },
  };
}

/** Rules whose subject is a schedule. */
const scheduleRules: ReadonlySet<string> = new Set(['missed-fire', 'scheduled-run-failed']);

/** Where a person looks at the alert's subject. @param page address of the operations page */
export function linkOf({ id, rule, subject }: Alert, page: string): { label: string; url: string } {
  if (kindOfJobId(subject)) return { label: 'Open the job', url: `${page}/jobs/${subject}` };
  if (scheduleRules.has(rule)) return { label: 'Open the schedule', url: `${page}#schedule-${subject}` };
  return { label: 'Open the alert', url: `${page}#alert-${id}` };
}
