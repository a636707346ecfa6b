/** Operator action on an alert: no messages about it for a chosen time. */
import type { Alert } from '../../core/alerts/alert.ts';
import { listOpenAlerts, snoozeAlert } from '../../core/alerts/open-alerts.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { ApiServices } from '../services.ts';
import type { PreparedAction } from './action.ts';
import { timeView } from './format.ts';

const hourMs = 3_600_000;
const choices = [
  { value: '1', label: '1 hour' },
  { value: '8', label: '8 hours' },
  { value: '24', label: '1 day' },
  { value: '168', label: '1 week' },
];

/** The snooze while it lasts. */
export const snoozeOf = ({ snoozedUntil, snoozedBy }: Pick<Alert, 'snoozedUntil' | 'snoozedBy'>) =>
  snoozedUntil !== null && new Date(snoozedUntil) > new Date()
    ? { ...timeView(new Date(snoozedUntil)), by: snoozedBy ?? 'unknown' }
    : null;

/** @throws ServiceError not-found */
export async function prepareSnooze(id: string, { database }: ApiServices): Promise<PreparedAction> {
  const alert = (await listOpenAlerts(database, 10_000)).find(open => open.id === id);
  if (!alert) throw new ServiceError('not-found', 'This alert is not open any more.');
  const snooze = snoozeOf(alert);
  return {
    confirmation: {
      title: 'Snooze this alert?',
      effect: 'No messages about it until then, except the one that it is resolved. It stays on the operations page.',
      facts: [
        { label: 'Alert', value: `${alert.rule}: ${alert.subject}` },
        { label: 'Problem', value: alert.what },
        ...(snooze ? [{ label: 'Snoozed', value: `until ${snooze.clock}, by ${snooze.by}` }] : []),
      ],
      reasons: [],
      choices: snooze ? [...choices, { value: '0', label: 'End the snooze now' }] : choices,
      confirm: 'Snooze it',
      isGrave: false,
      seen: alert.snoozedUntil ?? 'not snoozed',
      back: '#alerts',
    },
    async carryOut(by, hours) {
      const until = hours === '0' ? null : new Date(Date.now() + Number(hours) * hourMs);
      if (!(await snoozeAlert(database, id, until, by))) throw new ServiceError('conflict', 'The alert was resolved.');
      return `?done=${until ? 'snoozed' : 'unsnoozed'}#alerts`;
    },
  };
}
