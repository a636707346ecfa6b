/** The banner of the overview page. */
import { expect, it } from 'vitest';
import { statusView, worstFacts } from '../../../../api/admin/status.ts';

const problem = (alert: string, what: string) => ({ alert, subject: '', what, fix: '' });
const circuit = problem('PortalCircuitOpen', 'Calls to the CRM are paused.');
const schedule = problem('PortalScheduleFailed', 'The last run of maintenance failed.');
const balance = problem('PortalSmsBalanceLow', 'The balance is 3.00 AED.');
const none = { held: 0, failed: 0 };
const ready = { status: 'pass', checks: {} } as const;

it('states the worst fact first, and the others below it', () => {
  const facts = worstFacts([balance, schedule, circuit], { held: 2, failed: 1 });
  expect(facts.map(({ text }) => text)).toEqual([
    'Calls to the CRM are paused',
    '2 held runs wait for a decision',
    'The last run of maintenance failed',
    '1 job failed within the last hour',
    'The balance is 3.00 AED',
  ]);
  expect(statusView(ready, facts)).toMatchObject({ kind: 'warn', words: facts[0]?.text, facts: facts.slice(1) });
});

it.each([
  ['an open circuit', worstFacts([circuit], none)],
  ['a held run', worstFacts([], { held: 1, failed: 0 })],
  ['a failed schedule', worstFacts([schedule], none)],
  ['a failure of the last hour', worstFacts([], { held: 0, failed: 1 })],
])('is not a green "Ready" with %s', (_, facts) => {
  const { kind, words } = statusView(ready, facts);
  expect(kind).toBe('warn');
  expect(words).not.toContain('Ready');
});

it('is "Ready" without any, and "Not ready" before all of them', () => {
  expect(statusView(ready, [])).toMatchObject({ kind: 'pass', words: 'Ready', facts: [] });
  const facts = worstFacts([circuit], none);
  expect(statusView({ status: 'fail', checks: {} }, facts)).toMatchObject({ kind: 'fail', words: 'Not ready', facts });
});
