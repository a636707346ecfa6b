/** The balance at the SMS gateway is nearly used up. */
import { lastBalance } from '../../domain/telephony/sms-balances.ts';
import { defineRule, wholeService } from '../rule.ts';

export default defineRule({
  id: 'sms-balance-low',
  severity: 'warning',
  summary: 'The balance at the SMS gateway, as last read, is below ALERT_SMS_BALANCE.',
  mend: 'Top up the account at the SMS gateway: with no balance no message is sent.',
  lastsSeconds: 0,
  async find({ database, limits }) {
    const balance = await lastBalance(database);
    // Not known is not low; the outside systems tell of their own faults.
    if (!balance || balance.amount >= limits.ALERT_SMS_BALANCE) return [];
    const what = `The balance at the SMS gateway is ${balance.amount.toFixed(2)} ${balance.currency}; below ${limits.ALERT_SMS_BALANCE} it is low.`;
    return [{ subject: wholeService, what }];
  },
});
