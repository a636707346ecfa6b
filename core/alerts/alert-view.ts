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
    { title: 'New', alerts: news.opened.map(alert => openView(alert, at, page)) },
    { title: 'Still open', alerts: news.reminded.map(alert => openView(alert, at, page)) },
    { title: 'Resolved', alerts: news.resolved.map(resolvedView) },
  ].filter(({ alerts }) => alerts.length > 0);
  return { subject, sections, page, at: momentText(at) };
}

interface ShownAlert {
  word: string;
  colour: string;
  what: string;
  mend?: string;
  rule: string;
  /** Absent for the whole service. */
  subject?: string;
  link?: { label: string; url: string };
  when: string;
}

function openView(alert: Alert, at: Date, page: string): ShownAlert {
  const { openedAt, severity, what, mend } = alert;
  const opened = new Date(openedAt);
  const seconds = (at.getTime() - opened.getTime()) / 1_000;
  return {
    word: severity === 'critical' ? 'Critical' : 'Warning',
    colour: colours[severity],
    what,
    mend,
    ...sourceOf(alert),
    link: linkOf(alert, page),
    when: `Since ${momentText(opened)}${seconds >= 60 ? `, for ${durationText(seconds)}` : ''}`,
  };
}

/** Without a link: the operations page shows open alerts. */
function resolvedView(alert: Alert): ShownAlert {
  const { openedAt, resolvedAt, what } = alert;
  const opened = new Date(openedAt);
  const resolved = new Date(resolvedAt ?? openedAt);
  return {
    word: 'Resolved',
    colour: colours.resolved,
    what,
    ...sourceOf(alert),
    when: `From ${momentText(opened)} for ${durationText((resolved.getTime() - opened.getTime()) / 1_000)}`,
  };
}

const sourceOf = ({ rule, subject }: Alert) => ({ rule, ...(subject !== wholeService && { subject }) });

/** Rules whose subject is a schedule. */
const scheduleRules: ReadonlySet<string> = new Set(['missed-fire', 'scheduled-run-failed']);

/** Where a person looks at the alert's subject. @param page address of the operations page */
export function linkOf({ id, rule, subject }: Alert, page: string): { label: string; url: string } {
  if (kindOfJobId(subject)) return { label: 'Open the job', url: `${page}/jobs/${subject}` };
  if (scheduleRules.has(rule)) return { label: 'Open the schedule', url: `${page}#schedule-${subject}` };
  return { label: 'Open the alert', url: `${page}#alert-${id}` };
}
