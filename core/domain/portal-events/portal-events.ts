/** Stores each event of the listing portal once, with the CRM lead that its enquiry became. */
import { and, desc, eq, inArray, isNotNull, isNull, or } from 'drizzle-orm';
import type { ReadEnquiry } from '../../integrations/listing-portal/enquiries.ts';
import type { PortalEnquiry, PortalEvent } from '../../integrations/listing-portal/event.ts';
import type { Database, Db } from '../../postgres/client.ts';
import { chunks } from '../../values/chunks.ts';
import { portalEventTable as table } from './schema.ts';

/** An enquiry that is not in the CRM yet. */
export interface EnquiryEvent {
  id: string;
  type: PortalEvent['type'] | 'lead.read';
  /** The portal's id of the enquiry. */
  entityId: string;
  occurredAt: Date;
  enquiry: PortalEnquiry;
}

export interface TakenLead {
  leadId: number;
  userId: number | null;
}

export type PortalEvents = ReturnType<typeof createPortalEvents>;

/** @returns false for a repeated delivery of the event */
export async function insertEvent(db: Db, event: PortalEvent): Promise<boolean> {
  const inserted = await db.insert(table).values(event).onConflictDoNothing().returning({ id: table.id });
  return inserted.length > 0;
}

export function createPortalEvents(database: Database) {
  const unhandled = (ids: readonly string[]) =>
    database
      .select()
      .from(table)
      .where(and(inArray(table.id, [...ids]), isNull(table.handledAt)));

  return {
    /** @returns undefined when the enquiry is in the CRM, or the event is deleted */
    async find(id: string): Promise<EnquiryEvent | undefined> {
      return (await unhandled([id])).flatMap(enquiryEventOf)[0];
    },

    /** The lead of an enquiry, from its latest event that was handled. */
    async leadOf(entityId: string): Promise<(TakenLead & { occurredAt: Date }) | undefined> {
      const [row] = await database
        .select()
        .from(table)
        .where(and(eq(table.entityId, entityId), isNotNull(table.leadId)))
        .orderBy(desc(table.occurredAt))
        .limit(1);
      return row?.leadId ? { leadId: row.leadId, userId: row.userId, occurredAt: row.occurredAt } : undefined;
    },

    async settle(id: string, taken: TakenLead): Promise<void> {
      await database
        .update(table)
        .set({ ...taken, content: null, handledAt: new Date() })
        .where(eq(table.id, id));
    },

    /** The enquiries that no webhook brought, and that no earlier read has put into the CRM. */
    async missedOf(enquiries: readonly ReadEnquiry[]): Promise<EnquiryEvent[]> {
      const missed: EnquiryEvent[] = [];
      for (const some of chunks(enquiries, 1_000)) {
        const isOther = or(isNotNull(table.handledAt), eq(table.type, 'lead.created'), eq(table.type, 'lead.assigned'));
        const rows = await database
          .selectDistinct({ id: table.entityId })
          .from(table)
          .where(
            and(
              inArray(
                table.entityId,
                some.map(({ id }) => id),
              ),
              isOther,
            ),
          );
        const known = new Set(rows.map(({ id }) => id));
        missed.push(...some.filter(({ id }) => !known.has(id)).map(readEventOf));
      }
      return missed;
    },

    async storeRead({ enquiry, ...event }: EnquiryEvent): Promise<void> {
      await database
        .insert(table)
        .values({ ...event, content: enquiry })
        .onConflictDoNothing();
    },
  };
}

const readEventOf = ({ id, createdAt, enquiry }: ReadEnquiry): EnquiryEvent => ({
  id: `read:${id}`,
  type: 'lead.read',
  entityId: id,
  occurredAt: createdAt,
  enquiry,
});

function enquiryEventOf({ id, type, entityId, occurredAt, content }: typeof table.$inferSelect): EnquiryEvent[] {
  return content && 'phones' in content ? [{ id, type, entityId, occurredAt, enquiry: content }] : [];
}
