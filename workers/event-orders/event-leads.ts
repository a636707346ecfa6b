/** The lead of each guest of an event, with the states of the guest's tickets when the lead was last updated. */
import { eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '../../core/postgres/client.ts';
import { chunks } from '../../core/values/chunks.ts';
import { eventLeadTable, eventTicketTable } from './schema.ts';

export type EventTicket = Omit<typeof eventTicketTable.$inferSelect, 'updatedAt'>;

export interface EventLead {
  key: string;
  leadId: number;
  tickets: EventTicket[];
}

export function createEventLeads(database: Database) {
  return {
    /** Attendee id → lead key, for attendees that have one. */
    async keysOf(attendeeIds: readonly string[]): Promise<Map<string, string>> {
      const rows = await inChunks(attendeeIds, ids =>
        database.select().from(eventTicketTable).where(inArray(eventTicketTable.attendeeId, ids)),
      );
      return new Map(rows.map(({ attendeeId, leadKey }) => [attendeeId, leadKey]));
    },

    /** Leads by key, with all of their tickets. */
    async find(keys: readonly string[]): Promise<Map<string, EventLead>> {
      const rows = await inChunks(keys, some =>
        database
          .select()
          .from(eventLeadTable)
          .innerJoin(eventTicketTable, eq(eventTicketTable.leadKey, eventLeadTable.key))
          .where(inArray(eventLeadTable.key, some)),
      );
      const leads = new Map<string, EventLead>();
      for (const { event_lead: lead, event_ticket: ticket } of rows) {
        const known = leads.get(lead.key) ?? { key: lead.key, leadId: lead.leadId, tickets: [] };
        known.tickets.push(ticket);
        leads.set(lead.key, known);
      }
      return leads;
    },

    /** Stores the lead and the given tickets in one transaction. */
    put({ key, leadId, tickets }: EventLead): Promise<void> {
      return database.transaction(async transaction => {
        await transaction.insert(eventLeadTable).values({ key, leadId }).onConflictDoNothing();
        await transaction
          .insert(eventTicketTable)
          .values(tickets)
          .onConflictDoUpdate({
            target: eventTicketTable.attendeeId,
            set: {
              state: sql`excluded.state`,
              detailsDigest: sql`excluded.details_digest`,
              updatedAt: sql`now()`,
            },
          });
      });
    },
  };
}

/** PostgreSQL allows 65,535 parameters per statement. */
const chunkSize = 5_000;

async function inChunks<T, R>(list: readonly T[], read: (chunk: T[]) => Promise<R[]>): Promise<R[]> {
  const found: R[] = [];
  for (const some of chunks(list, chunkSize)) found.push(...(await read(some)));
  return found;
}
