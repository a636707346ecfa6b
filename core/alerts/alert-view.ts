/** What the alerts' mail shows: words and times as a person reads them. */
import { kindOfJobId } from '../jobs/contract.ts';
import type { Alert, AlertNews } from './alert.ts';
import { counted, durationText, momentText } from './duration-text.ts';
import { wholeService } from './rule.ts';

/** On white, and under white letters, each with a contrast of 5 to 1 at least. */
const colours = { critical: '#A32018', warning: '#8A5300', over: '#1B6B3A' };
const longestSubject = 140;

/** Begins with what matters, because phones show little of it. */
export function alertSubject({ opened, reminded, resolved }: AlertNews): string {
  const critical = opened.filter(({ severity }) => severity === 'critical').length;
  const [first] = critical > 0 ? opened.filter(({ severity }) => severity === 'critical') : opened;
  if (first) {
    const others = opened.length - 1;
    const more = others > 0 ? ` (and ${others} more)` : '';
    return shortened(`${critical > 0 ? 'Critical' : 'Warning'}: ${first.what}`, more);
  }
  if (reminded.length > 0) return `Still open: ${counted(reminded.length, 'alert')}`;
  const [over] = resolved;
  return over && resolved.length === 1
    ? shortened(`Over: ${over.what}`, '')
    : `Over: ${counted(resolved.length, 'alert')}`;
}

function shortened(text: string, end: string): string {
  const room = longestSubject - end.length;
  return (text.length <= room ? text : `${text.slice(0, room - 1).trimEnd()}…`) + end;
}

export function alertView(news: AlertNews, subject: string, page: string): object {
  const at = new Date(news.at);
  const sections = [
    { title: 'New', alerts: news.opened.map(alert => openView(alert, at, page)) },
    { title: 'Still open', alerts: news.reminded.map(alert => openView(alert, at, page)) },
    { title: 'Over', alerts: news.resolved.map(alert => overView(alert, page)) },
  ].filter(({ alerts }) => alerts.length > 0);
  return { subject, sections, page, at: momentText(at) };
}

function openView(alert: Alert, at: Date, page: string): object {
  const { openedAt, severity, what, mend } = alert;
  const opened = new Date(openedAt);
  const seconds = (at.getTime() - opened.getTime()) / 1_000;
  return {
    word: severity === 'critical' ? 'Critical' : 'Warning',
    colour: colours[severity],
    what,
    mend,
    ...sourceView(alert, page),
    when: `Since ${momentText(opened)}${seconds >= 60 ? `, for ${durationText(seconds)}` : ''}`,
  };
}

function overView(alert: Alert, page: string): object {
  const { openedAt, resolvedAt, what } = alert;
  const opened = new Date(openedAt);
  const over = new Date(resolvedAt ?? openedAt);
  return {
    word: 'Over',
    colour: colours.over,
    what,
    ...sourceView(alert, page),
    when: `From ${momentText(opened)} for ${durationText((over.getTime() - opened.getTime()) / 1_000)}`,
  };
}

/** A job has a page of its own. */
function sourceView({ rule, subject }: Alert, page: string): object {
  if (subject === wholeService) return { rule };
  return { rule, subject, ...(kindOfJobId(subject) && { subjectUrl: `${page}/jobs/${subject}` }) };
}
