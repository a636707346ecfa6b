/** When alerts open, when they are over, and when somebody is told. */
import { describe, expect, it } from 'vitest';
import {
  type AlertPlan,
  type KnownAlert,
  planAlerts,
  type Reading,
} from '../../../../core/alerts/plan-alerts.ts';

const minute = 60_000;
const start = Date.parse('2026-01-31T08:00:00Z');
const nothing = { opened: [], reminded: [], resolved: [] };

/** Looks one minute after the other; each is told what the rule finds: subjects, or that it cannot tell. */
function watching({ lastsSeconds = 0, hasReceiver = true } = {}) {
  let known: KnownAlert[] = [];
  let looks = 0;
  let ids = 0;
  return {
    look(...found: string[] | ['unknown']): AlertPlan['tell'] {
      const reading: Reading = {
        rule: { id: 'rule', lastsSeconds },
        found:
          found[0] === 'unknown'
            ? 'unknown'
            : found.map(subject => ({ subject, what: `${subject} is wrong` })),
      };
      const now = new Date(start + looks++ * minute);
      const plan = planAlerts(known, [reading], {
        now,
        remindAfterMs: 60 * minute,
        hasReceiver,
        newId: () => `alert-${++ids}`,
      });
      const told = Object.values(plan.tell).flat();
      known = plan.keep
        .filter(({ resolvedAt }) => resolvedAt === null)
        .map(alert => ({ ...alert, notifiedAt: told.includes(alert.id) ? now : alert.notifiedAt }));
      return plan.tell;
    },
    hearFrom(now: boolean) {
      hasReceiver = now;
    },
    snooze(minutes: number) {
      const until = new Date(start + (looks + minutes) * minute);
      known = known.map(alert => ({ ...alert, snoozedUntil: until }));
    },
    known: () => known,
  };
}

const opened = (...ids: string[]) => ({ ...nothing, opened: ids });
const resolved = (...ids: string[]) => ({ ...nothing, resolved: ids });

describe('an alert', () => {
  it('is told when it opens, and when it was not found twice in a row', () => {
    const { look } = watching();
    expect(look('pdf')).toEqual(opened('alert-1'));
    expect(look('pdf')).toEqual(nothing);
    expect(look()).toEqual(nothing);
    expect(look()).toEqual(resolved('alert-1'));
    expect(look()).toEqual(nothing);
  });

  it('that comes and goes is one alert', () => {
    const { look } = watching();
    look('pdf');
    for (let times = 0; times < 5; times++) {
      expect(look()).toEqual(nothing);
      expect(look('pdf')).toEqual(nothing);
    }
  });

  it('that must last opens only when it does, and is nothing when it does not', () => {
    const { look, known } = watching({ lastsSeconds: 60 });
    expect(look('pdf')).toEqual(nothing);
    expect(look()).toEqual(nothing);
    expect(known()).toEqual([]);
    expect(look('pdf')).toEqual(nothing);
    expect(look('pdf')).toEqual(opened('alert-2'));
  });

  it('stays as it is while its rule cannot tell', () => {
    const { look } = watching();
    look('pdf');
    for (let times = 0; times < 5; times++) expect(look('unknown')).toEqual(nothing);
    expect(look('pdf')).toEqual(nothing);
  });

  it('is told apart by its subject', () => {
    const { look } = watching();
    expect(look('pdf')).toEqual(opened('alert-1'));
    expect(look('pdf', 'leads')).toEqual(opened('alert-2'));
    look('leads');
    expect(look('leads')).toEqual(resolved('alert-1'));
  });

  it('is reminded of after the set time, and with it all others that are open', () => {
    const { look } = watching();
    look('pdf');
    for (let times = 1; times < 30; times++) look('pdf');
    expect(look('pdf', 'leads')).toEqual(opened('alert-2'));
    for (let times = 31; times < 60; times++) expect(look('pdf', 'leads')).toEqual(nothing);
    expect(look('pdf', 'leads')).toEqual({ ...nothing, reminded: ['alert-1', 'alert-2'] });
    for (let times = 61; times < 120; times++) expect(look('pdf', 'leads')).toEqual(nothing);
  });

  it('that is snoozed is told of again when that is over, and its end is told in any case', () => {
    const { look, snooze } = watching();
    look('pdf');
    snooze(90);
    for (let times = 1; times < 91; times++) expect(look('pdf')).toEqual(nothing);
    expect(look('pdf')).toEqual({ ...nothing, reminded: ['alert-1'] });
    snooze(90);
    look();
    expect(look()).toEqual(resolved('alert-1'));
  });

  it('waits for somebody to tell; one that is over by then is told to nobody', () => {
    const { look, hearFrom } = watching({ hasReceiver: false });
    expect(look('pdf', 'leads')).toEqual(nothing);
    expect(look('pdf')).toEqual(nothing);
    expect(look('pdf')).toEqual(nothing);
    hearFrom(true);
    expect(look('pdf')).toEqual(opened('alert-1'));
  });
});
