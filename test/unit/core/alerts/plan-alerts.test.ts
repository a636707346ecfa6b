/** When alerts open, when they are resolved, and when messages about them are sent. */
import { describe, expect, it } from 'vitest';
import {
  type AlertPlan,
  planAlerts,
  type RuleResult,
  type UnresolvedAlert,
} from '../../../../core/alerts/plan-alerts.ts';

const minute = 60_000;
const start = Date.parse('2026-01-31T08:00:00Z');
const nothing = { opened: [], reminded: [], resolved: [] };

/** One evaluation per minute, each with the subjects that the rule finds, or `unknown`. */
function monitor({ lastsSeconds = 0, hasReceiver = true } = {}) {
  let unresolved: UnresolvedAlert[] = [];
  let evaluations = 0;
  let ids = 0;
  return {
    evaluate(...found: string[] | ['unknown']): AlertPlan['notify'] {
      const result: RuleResult = {
        rule: { id: 'rule', lastsSeconds },
        found: found[0] === 'unknown' ? 'unknown' : found.map(subject => ({ subject, what: `${subject} is wrong` })),
      };
      const now = new Date(start + evaluations++ * minute);
      const plan = planAlerts(unresolved, [result], {
        now,
        remindAfterMs: 60 * minute,
        hasReceiver,
        newId: () => `alert-${++ids}`,
      });
      const notified = Object.values(plan.notify).flat();
      unresolved = plan.save
        .filter(({ resolvedAt }) => resolvedAt === null)
        .map(alert => ({ ...alert, notifiedAt: notified.includes(alert.id) ? now : alert.notifiedAt }));
      return plan.notify;
    },
    setReceiver(now: boolean) {
      hasReceiver = now;
    },
    snooze(minutes: number) {
      const until = new Date(start + (evaluations + minutes) * minute);
      unresolved = unresolved.map(alert => ({ ...alert, snoozedUntil: until }));
    },
    unresolved: () => unresolved,
  };
}

const opened = (...ids: string[]) => ({ ...nothing, opened: ids });
const resolved = (...ids: string[]) => ({ ...nothing, resolved: ids });

describe('an alert', () => {
  it('is sent when it opens, and when two consecutive evaluations do not find it', () => {
    const { evaluate } = monitor();
    expect(evaluate('pdf')).toEqual(opened('alert-1'));
    expect(evaluate('pdf')).toEqual(nothing);
    expect(evaluate()).toEqual(nothing);
    expect(evaluate()).toEqual(resolved('alert-1'));
    expect(evaluate()).toEqual(nothing);
  });

  it('that is absent from single evaluations stays open and is not sent again', () => {
    const { evaluate } = monitor();
    evaluate('pdf');
    for (let times = 0; times < 5; times++) {
      expect(evaluate()).toEqual(nothing);
      expect(evaluate('pdf')).toEqual(nothing);
    }
  });

  it('opens only after `lastsSeconds`, and is dropped when it does not last', () => {
    const { evaluate, unresolved } = monitor({ lastsSeconds: 60 });
    expect(evaluate('pdf')).toEqual(nothing);
    expect(evaluate()).toEqual(nothing);
    expect(unresolved()).toEqual([]);
    expect(evaluate('pdf')).toEqual(nothing);
    expect(evaluate('pdf')).toEqual(opened('alert-2'));
  });

  it('is unchanged while its rule fails', () => {
    const { evaluate } = monitor();
    evaluate('pdf');
    for (let times = 0; times < 5; times++) expect(evaluate('unknown')).toEqual(nothing);
    expect(evaluate('pdf')).toEqual(nothing);
  });

  it('is identified by its subject', () => {
    const { evaluate } = monitor();
    expect(evaluate('pdf')).toEqual(opened('alert-1'));
    expect(evaluate('pdf', 'leads')).toEqual(opened('alert-2'));
    evaluate('leads');
    expect(evaluate('leads')).toEqual(resolved('alert-1'));
  });

  it('is sent again after the reminder time, together with all other open alerts', () => {
    const { evaluate } = monitor();
    evaluate('pdf');
    for (let times = 1; times < 30; times++) evaluate('pdf');
    expect(evaluate('pdf', 'leads')).toEqual(opened('alert-2'));
    for (let times = 31; times < 60; times++) expect(evaluate('pdf', 'leads')).toEqual(nothing);
    expect(evaluate('pdf', 'leads')).toEqual({ ...nothing, reminded: ['alert-1', 'alert-2'] });
    for (let times = 61; times < 120; times++) expect(evaluate('pdf', 'leads')).toEqual(nothing);
  });

  it('is not sent while it is snoozed, except its end, and is sent again afterwards', () => {
    const { evaluate, snooze } = monitor();
    evaluate('pdf');
    snooze(90);
    for (let times = 1; times < 91; times++) expect(evaluate('pdf')).toEqual(nothing);
    expect(evaluate('pdf')).toEqual({ ...nothing, reminded: ['alert-1'] });
    snooze(90);
    evaluate();
    expect(evaluate()).toEqual(resolved('alert-1'));
  });

  it('is sent when a receiver is configured; not if it is resolved by then', () => {
    const { evaluate, setReceiver } = monitor({ hasReceiver: false });
    expect(evaluate('pdf', 'leads')).toEqual(nothing);
    expect(evaluate('pdf')).toEqual(nothing);
    expect(evaluate('pdf')).toEqual(nothing);
    setReceiver(true);
    expect(evaluate('pdf')).toEqual(opened('alert-1'));
  });
});
