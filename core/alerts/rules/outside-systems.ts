/** Rules: outside systems that keep failing; a low balance at the SMS gateway. */

import { lastBalance } from '../../domain/telephony/sms-repository.ts';
import { createProcessMetrics } from '../../telemetry/process-metrics.ts';
import { outsideCalls } from '../outside-calls.ts';
import { defineRule, wholeService } from '../rule.ts';

const circuitOpen = defineRule({
  id: 'circuit-open',
  severity: 'warning',
  summary: 'An outside system keeps failing: a process has had its circuit open for more than five minutes.',
  remediation:
    'Check whether the system is up and accepts its credentials (npm run doctor). Jobs that need it are retried ' +
    'automatically; retry failed ones with POST /jobs/{id}/retry.',
  lastsSeconds: 300,
  find: async ({ database }) =>
    outsideCalls(await createProcessMetrics(database).read())
      .filter(({ openCircuits }) => openCircuits > 0)
      .map(({ system, openCircuits }) => ({
        subject: system,
        what: `The outside system ${system} keeps failing; processes with an open circuit: ${openCircuits}.`,
      })),
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
