/** Rules: outside systems that keep failing; a low balance at the SMS gateway. */

import { lastBalance } from '../../domain/telephony/sms-repository.ts';
import { createProcessMetrics } from '../../telemetry/process-metrics.ts';
import { jobsWaitingForSystems } from '../job-health.ts';
import { outsideCalls } from '../outside-calls.ts';
import { defineRule, wholeService } from '../rule.ts';

const circuitOpen = defineRule({
  id: 'circuit-open',
  severity: 'warning',
  summary:
    'An outside system keeps failing: for more than five minutes, a process has had its circuit open, or jobs have waited for it.',
  remediation:
    'Check whether the system is up and accepts its credentials (npm run doctor). Jobs that need it are retried ' +
    'automatically; run failed ones again on the operations page.',
  lastsSeconds: 300,
  async find({ database }) {
    const measured = outsideCalls(await createProcessMetrics(database).read());
    const circuits = new Map(measured.map(({ system, openCircuits }) => [system, openCircuits]));
    // A system of which a single endpoint fails has closed circuits.
    const waiting = await jobsWaitingForSystems(database);
    return [...new Set([...circuits.keys(), ...waiting.keys()])]
      .map(system => ({ system, open: circuits.get(system) ?? 0, jobs: waiting.get(system) ?? 0 }))
      .filter(({ open, jobs }) => open + jobs > 0)
      .map(({ system, open, jobs }) => ({
        subject: system,
        what: `The outside system ${system} keeps failing; processes with an open circuit: ${open}; waiting jobs: ${jobs}.`,
      }));
  },
});

const smsBalanceLow = defineRule({
  id: 'sms-balance-low',
  severity: 'warning',
  summary: 'The last known balance at the SMS gateway is below ALERT_SMS_BALANCE.',
  remediation: 'Top up the account at the SMS gateway: without balance no message is sent.',
  lastsSeconds: 0,
  async find({ database, limits }) {
    const balance = await lastBalance(database);
    // An unknown balance does not count as low; other rules report a failing gateway.
    if (!balance || balance.amount >= limits.ALERT_SMS_BALANCE) return [];
    const what = `The balance at the SMS gateway is ${balance.amount.toFixed(2)} ${balance.currency}; the limit is ${limits.ALERT_SMS_BALANCE}.`;
    return [{ subject: wholeService, what }];
  },
});

export default [circuitOpen, smsBalanceLow];
