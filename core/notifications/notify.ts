/** Writes notifications to operators into the outbox. */
import { sql } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import type { JobContract } from '../jobs/contract.ts';
import type { ReportStop } from '../jobs/record.ts';
import type { Db } from '../postgres/client.ts';
import { schedulerClientId } from '../schedules/schedule.ts';
import type { NotifyConfig } from './config.ts';
import type { Channel, Notification } from './notification.ts';
import { notificationTable as table } from './schema.ts';

/** Writes in the transaction of what it reports; nothing when no receiver is configured. */
export type Notify = (db: Db, notification: Notification) => Promise<void>;

export function openNotify({ NOTIFY_MAIL_TO: mail, NOTIFY_WEBHOOK_URL: webhook }: NotifyConfig): Notify {
  const isSet: Record<Channel, boolean> = { mail: mail !== undefined, webhook: webhook !== undefined };
  const channels = (['mail', 'webhook'] as const).filter(channel => isSet[channel]);
  return async (db, { topic, ...content }) => {
    if (channels.length === 0) return;
    const rows = channels.map(channel => {
      const last = sql`(select max(next_try_at) from notification where channel = ${channel} and topic = ${topic})`;
      return { id: uuidv7(), channel, topic, content, nextTryAt: sql`greatest(now(), ${last} + interval '1 hour')` };
    });
    await db
      .insert(table)
      .values(rows)
      .onConflictDoUpdate({
        target: [table.channel, table.topic],
        targetWhere: sql`state = 'pending' and tries = 0`,
        set: { count: sql`${table.count} + 1`, content: sql`excluded.content` },
      });
  };
}

/** Notifies of held runs, and of failed jobs that a schedule started or whose kind changes outside systems. */
export const notifyOfStops =
  (notify: Notify, contracts: ReadonlyMap<string, JobContract>): ReportStop =>
  async (db, { id, kind, clientId, state, reasons, places }) => {
    const isHeld = state === 'held';
    if (!isHeld && clientId !== schedulerClientId && !contracts.get(kind)?.hasEffects) return;
    const detail = reasons.join(' ').slice(0, 1_000);
    const topic = isHeld ? `held ${id}` : `failed ${kind}: ${detail}`;
    const title = isHeld ? `A ${kind} run is held` : `A ${kind} job failed for good`;
    await notify(db, { topic, title, detail, path: `/jobs/${id}`, places });
  };
