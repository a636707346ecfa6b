/** What the listing portal asks for at listings: the latest event of each listing and action says whether it is open. */
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { z } from 'zod';
import type { ListingAction, PortalEvent } from '../../integrations/listing-portal/event.ts';
import type { Notify } from '../../notifications/notify.ts';
import type { Db } from '../../postgres/client.ts';
import { portalEventTable as table } from './schema.ts';

type ActionEvent = Extract<PortalEvent, { type: 'listing.action' }>;

/** Notifies operators in the transaction that stores the event, unless a later one of the listing is stored. */
export async function notifyOfAction(db: Db, notify: Notify, { entityId, occurredAt, content }: ActionEvent) {
  if (content.state === 'resolved' || content.isDisputed) return;
  const later = await db
    .select({ id: table.id })
    .from(table)
    .where(
      sql`${table.type} = 'listing.action' and ${table.entityId} = ${entityId}
        and ${table.content} ->> 'action' = ${content.action} and ${table.occurredAt} > ${occurredAt.toISOString()}`,
    )
    .limit(1);
  if (later.length > 0) return;
  const listing = content.listingReference ?? entityId;
  await notify(db, {
    topic: `listing ${listing} ${content.action}`,
    title: `Listing ${listing}: the listing portal ${content.state === 'open' ? 'asks for a correction' : 'acts'}`,
    detail: detailOf(content),
    path: '/',
  });
}

function detailOf({ action, state, dueAt, takesDown }: ListingAction): string {
  const result = takesDown ? 'the portal takes the listing down' : 'the portal decides';
  if (state === 'missed') return `${action}: the time is over; ${result}.`;
  const due =
    dueAt === null ? 'without a date' : `until ${dueAt.slice(0, 10)} (${daysUntil(new Date(dueAt))} days left)`;
  return `${action}: correct it ${due}; then ${result}.`;
}

const daysUntil = (date: Date): number => Math.max(0, Math.floor((date.getTime() - Date.now()) / 86_400_000));

const OpenAction = z.object({ listing: z.string(), action: z.string(), daysLeft: z.coerce.number() });

/** Gauges have a series for each; so many of one brokerage are not open at once. */
const maxActions = 500;

/** Open actions with a date, the most urgent first; without those whose date passed a week ago. */
export async function openListingActions(db: NodePgDatabase) {
  const { rows } = await db.execute(sql`
    select coalesce(content ->> 'listingReference', entity_id) as listing, content ->> 'action' as action,
      extract(epoch from (content ->> 'dueAt')::timestamptz - now()) / 86400 as "daysLeft"
    from (
      select distinct on (entity_id, content ->> 'action') entity_id, content from ${table}
      where type = 'listing.action' order by entity_id, content ->> 'action', occurred_at desc
    ) as latest
    where content ->> 'state' = 'open' and (content ->> 'dueAt')::timestamptz > now() - interval '7 days'
    order by 3 limit ${maxActions}`);
  return z.array(OpenAction).parse(rows);
}
