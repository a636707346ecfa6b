/** Alert mails: the subject has the most important fact, the mail has all facts, and data is escaped. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type Alert, AlertNews } from '../../../../core/alerts/alert.ts';
import { alertSubject, alertView } from '../../../../core/alerts/alert-view.ts';
import { parseWaitingLimits } from '../../../../core/alerts/config.ts';
import { durationText } from '../../../../core/alerts/duration-text.ts';
import { discoverRules } from '../../../../core/alerts/rule.ts';
import { openMailTemplate } from '../../../../core/mail/template.ts';

const sample = AlertNews.parse(
  JSON.parse(await readFile(new URL('../../../../templates/mail/alerts/sample.json', import.meta.url), 'utf8')),
);
const empty = { ...sample, opened: [], reminded: [], resolved: [] };
const page = 'https://portal.example/v2/ops';

async function rendered(news: AlertNews) {
  const subject = alertSubject(news);
  return { subject, ...(await (await openMailTemplate('alerts')).render(alertView(news, subject, page))) };
}

describe('the subject', () => {
  it('begins with the most severe new alert', () => {
    const worstLast = { ...sample, opened: [...sample.opened].reverse() };
    expect(alertSubject(worstLast)).toBe('Critical: No worker is alive; 14 jobs waiting. (and 1 more)');
  });

  it('names the open or resolved alerts when there are no new ones', () => {
    expect(alertSubject({ ...empty, reminded: sample.reminded })).toBe('Still open: 1 alert');
    expect(alertSubject({ ...empty, resolved: sample.resolved })).toMatch(/^Resolved: 9 pdf jobs of 31 failed/);
    expect(alertSubject({ ...empty, resolved: [...sample.resolved, ...sample.reminded] })).toBe('Resolved: 2 alerts');
  });

  it('has at most 140 characters', () => {
    const long = sample.opened.map((alert): Alert => ({ ...alert, what: 'word '.repeat(100) }));
    expect(alertSubject({ ...sample, opened: long }).length).toBeLessThanOrEqual(140);
  });
});

describe('the mail', () => {
  it('contains problem, time and remediation in both parts', async () => {
    const { html, text } = await rendered(sample);
    for (const part of [html, text]) {
      for (const { what, mend } of sample.opened) {
        expect(part.replaceAll('&#x27;', "'")).toContain(what);
        expect(part).toContain(mend);
      }
      expect(part).toContain('Since 2026-01-29 14:12, for 1 day 17 hours');
      expect(part).toContain('From 2026-01-31 05:20 for 2 hours 21 minutes');
      expect(part).toContain(`${page}/jobs/${sample.opened[1]?.subject}`);
    }
  });

  it('has a button for the job, the schedule or the alert', async () => {
    const [first, held] = sample.opened;
    if (!first || !held) throw new Error('the sample has two new alerts');
    const missed = { ...first, rule: 'missed-fire', subject: 'event-orders' };
    const { html, text } = await rendered({ ...sample, opened: [first, held, missed] });
    for (const url of [`${page}#alert-${first.id}`, `${page}/jobs/${held.subject}`, `${page}#schedule-event-orders`]) {
      expect(html).toMatch(new RegExp(`<a href="${url}"[^>]*>\\s*Open the (alert|job|schedule)`));
      expect(text).toContain(url);
    }
  });

  it('does not tell a person to send a request to the API, whatever the rule', async () => {
    const rules = await discoverRules();
    const opened = rules.map(({ id, summary, remediation }): Alert => {
      const [any] = sample.opened;
      if (!any) throw new Error('the sample has new alerts');
      return { ...any, rule: id, what: summary, mend: remediation };
    });
    const { text } = await rendered({ ...empty, opened });
    expect(text).toContain('on the operations page');
    expect(text).not.toMatch(/\b(GET|POST|PUT|PATCH|DELETE) \//);
  });

  it('escapes markup and templates in its data, and loads nothing from other hosts', async () => {
    const what = '<img src=x onerror=alert(1)> </mj-text><mj-raw>{{brand.name}}</mj-raw>';
    const opened = sample.opened.map((alert): Alert => ({ ...alert, what }));
    const { html, text } = await rendered({ ...empty, opened });
    expect(html).toContain('&lt;img src&#x3D;x onerror&#x3D;alert(1)&gt; &lt;/mj-text&gt;&lt;mj-raw&gt;{{brand.name}}');
    expect(html).not.toContain('<img');
    expect(text).toContain(what);
    expect(html.match(/(?:src|href)="(?!https:\/\/portal\.example)[^"]*"|url\(|@import/g)).toBeNull();
  });
});

describe('texts', () => {
  it.each([
    [0, '0 seconds'],
    [59.6, '1 minute'],
    [61, '1 minute 1 second'],
    [3_600, '1 hour'],
    [3_601, '1 hour'],
    [90_061, '1 day 1 hour'],
  ])('write %d s as %s', (seconds, text) => expect(durationText(seconds)).toBe(text));

  it('parse the default waiting limit and those of single kinds', () => {
    expect(parseWaitingLimits('900, pdf=120')).toEqual({ default: 900, byKind: new Map([['pdf', 120]]) });
    for (const invalid of ['', 'pdf=5', '900,pdf', '900,pdf=', '900,PDF=5', '-1']) {
      expect(parseWaitingLimits(invalid), invalid).toBeUndefined();
    }
  });
});
