/** Remembers which lead stands for which tickets of an event, and how these were when the lead was told last. */
import { eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '../../core/postgres/client.ts';
import { eventLeadTable, eventTicketTable } from './schema.ts';

export type EventTicket = Omit<typeof eventTicketTable.$inferSelect, 'updatedAt'>;

export interface EventLead {
  key: string;
  leadId: number;
  tickets: EventTicket[];
}

export function createEventLeads(database: Database) {
  return {
    /** The lead's key of each attendee that has one. */
    async keysOf(attendeeIds: readonly string[]): Promise<Map<string, string>> {
      const rows = await inPieces(attendeeIds, ids =>
        database.select().from(eventTicketTable).where(inArray(eventTicketTable.attendeeId, ids)),
      );
      return new Map(rows.map(({ attendeeId, leadKey }) => [attendeeId, leadKey]));
    },

    /** The leads with all of their tickets. */
    async find(keys: readonly string[]): Promise<Map<string, EventLead>> {
      const rows = await inPieces(keys, some =>
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

    /** Puts the lead and some of its tickets as they are now, together. */
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

/** A statement takes 65,535 parameters at most. */
const pieceSize = 5_000;

async function inPieces<T, R>(list: readonly T[], read: (piece: T[]) => Promise<R[]>): Promise<R[]> {
  const found: R[] = [];
  for (let from = 0; from < list.length; from += pieceSize)
    found.push(...(await read(list.slice(from, from + pieceSize))));
  return found;
}
