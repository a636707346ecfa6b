/**
 * The CRM's leads, through `crm.item.*`: the vendor has halted the development of `crm.lead.*` (apidocs.bitrix24.com,
 * crm/leads). Custom fields keep their original names, as the settings have them.
 */
import { z } from 'zod';
import type { CallClass } from '../kit/call.ts';
import { goodRows, type ReadRow, readRow, reasonText, rowsIn } from '../kit/read-rows.ts';
import { plainText, scrubbed } from '../kit/vendor-text.ts';
import { type CommandOutcome, type SettledOutcome, settled } from './commands.ts';
import type { LeadConfig } from './config.ts';
import { commandRejected, isNotFound, optional, resultOf, withRejectionReason } from './rejection.ts';
import { batches, type CrmRest } from './rest.ts';
import { accessDenied } from './wire/envelope.ts';
import {
  customNames,
  type Lead,
  type LeadChange,
  type LeadComment,
  leadEntityType,
  leadFields,
  type NewLead,
  type ProductRow,
  WireComment,
  WireDuplicates,
  WireProductRow,
  wireLead,
} from './wire/lead.ts';
import { Id } from './wire/scalars.ts';

export { Lead, LeadChange, NewLead, ProductRow } from './wire/lead.ts';

const crm = { name: 'crm', title: 'The CRM' };
const leadKind = { system: crm, record: 'lead', id: 'id' };
const ProductRows = z.object({ productRows: rowsIn({ system: crm, record: 'product row', id: 'id' }, WireProductRow) });
const FoundIds = z.object({ items: z.array(z.object({ id: Id })) });
const AddedItem = z.object({ item: z.object({ id: Id }) });
const AnyItem = z.object({ item: z.unknown() });

const item = { entityTypeId: leadEntityType, useOriginalUfNames: 'Y' } as const;
/** The short code of leads as owners of product rows. */
const leadOwner = 'L';
const productRowsPerPage = 50;

export type RefuseLead = (id: number, reason: string) => void;

export type LeadOutcome = { id: number } & (
  | { outcome: 'updated' | 'not-found' }
  | { outcome: 'rejected'; reason: string }
);

/** Phones or e-mails in one duplicate search; the CRM's limit. */
const maxSearchedValues = 20;

/** The CRM appends phones and e-mails with each request, also those that the lead has. */
export const addsContacts = ({ phones = [], emails = [] }: LeadChange): boolean =>
  phones.length > 0 || emails.length > 0;

/** @param beforeAdd rejects when the CRM cannot have leads */
export function openLeads(rest: CrmRest, config: LeadConfig, beforeAdd: () => Promise<void> = async () => {}) {
  const names = customNames(config);
  const consentName = config.CRM_LEAD_CONSENT_FIELD;
  return {
    ...readers(rest, wireLead(names, consentName)),
    ...writers(rest, lead => leadFields(names, consentName, lead), beforeAdd),
    ...timeline(rest),
  };
}

function readers(rest: CrmRest, WireLead: z.ZodType<Lead>) {
  return {
    get: (id: number): Promise<Lead | undefined> =>
      optional(
        rest.call({
          class: 'read',
          method: 'crm.item.get',
          parameters: { ...item, id },
          answer: z.object({ item: WireLead }).transform(answer => answer.item),
        }),
      ),

    /**
     * 50 a request; leaves out leads that do not exist.
     * @param refused called for a lead that cannot be read, such as one to which the webhook's user has no access
     */
    async getMany(ids: readonly number[], refused: RefuseLead = () => {}): Promise<Map<number, Lead>> {
      const leads = new Map<number, Lead>();
      for (const batch of batches(ids)) {
        const outcomes = await rest.batch(
          'read',
          batch.map(id => ({ key: `lead${id}`, method: 'crm.item.get', parameters: { ...item, id } })),
        );
        for (const [index, outcome] of outcomes.entries()) {
          const read = readLead(batch[index] ?? 0, outcome, WireLead);
          for (const lead of goodRows(read)) leads.set(lead.id, lead);
          for (const one of read) if ('bad' in one) refused(Number(one.id), reasonText(one.bad));
        }
      }
      return leads;
    },

    /** The first lead that was created from this record of another system. */
    async findByOrigin(origin: { originatorId: string; originId: string }): Promise<number | undefined> {
      const filter = { '=originatorId': origin.originatorId, '=originId': origin.originId };
      const parameters = { entityTypeId: leadEntityType, filter, order: { id: 'ASC' }, select: ['id'], start: -1 };
      const { items } = await rest.call({ class: 'read', method: 'crm.item.list', parameters, answer: FoundIds });
      return items[0]?.id;
    },

    /** Records with one of the phones (E.164) or e-mails; searches for the first 20 of each. */
    async duplicates({ phones = [], emails = [] }: Pick<LeadChange, 'phones' | 'emails'>) {
      const commands = Object.entries({ PHONE: phones, EMAIL: emails }).flatMap(([type, values]) => {
        const parameters = { type, values: values.slice(0, maxSearchedValues) };
        return values.length > 0 ? [{ key: type, method: 'crm.duplicate.findbycomm', parameters }] : [];
      });
      const outcomes = commands.length === 0 ? [] : await rest.batch('read', commands);
      const found = outcomes.flatMap(outcome => resultOf(outcome, WireDuplicates) ?? []);
      return {
        leads: [...new Set(found.flatMap(({ LEAD }) => LEAD))],
        contacts: [...new Set(found.flatMap(({ CONTACT }) => CONTACT))],
        companies: [...new Set(found.flatMap(({ COMPANY }) => COMPANY))],
      };
    },

    /** In the order of the lead. @returns undefined when there is no such lead */
    async productRows(id: number): Promise<ProductRow[] | undefined> {
      const rows: ReadRow<ProductRow>[] = [];
      for (let start = 0; ; start += productRowsPerPage) {
        const page = await productRowsPage(rest, id, start);
        if (!page) return undefined;
        rows.push(...page);
        if (page.length < productRowsPerPage) return goodRows(rows);
      }
    },
  };
}

/** The CRM returns no rows of a lead that does not exist: the lead is read in the same request. */
async function productRowsPage(rest: CrmRest, id: number, start: number): Promise<ReadRow<ProductRow>[] | undefined> {
  const filter = { '=ownerType': leadOwner, '=ownerId': id };
  const parameters = { filter, order: { sort: 'asc' }, start };
  const [lead, rows] = await rest.batch('read', [
    { key: 'lead', method: 'crm.item.get', parameters: { ...item, id } },
    { key: 'rows', method: 'crm.item.productrow.list', parameters },
  ]);
  if (!lead || !rows || !resultOf(lead, AnyItem)) return undefined;
  return resultOf(rows, ProductRows)?.productRows ?? [];
}

/** @returns the lead, or why it cannot be read; empty when it does not exist */
function readLead(id: number, outcome: CommandOutcome, WireLead: z.ZodType<Lead>): ReadRow<Lead>[] {
  if ('failure' in outcome) throw outcome.failure;
  if (!('error' in outcome)) return [readRow(leadKind, WireLead, AnyItem.safeParse(outcome.result).data?.item, 0)];
  if (isNotFound(outcome.error)) return [];
  const { code, message } = outcome.error;
  // Any other error concerns the method or our credentials, not this lead.
  if (code !== accessDenied) throw commandRejected('rejected the read of a lead', outcome.error);
  const bad = { system: crm.name, record: leadKind.record, id: String(id), field: '' };
  return [{ id: String(id), bad: { ...bad, reason: scrubbed(message) || 'rejected' } }];
}

function writers(
  rest: CrmRest,
  fieldsOf: (change: LeadChange) => Record<string, unknown>,
  beforeAdd: () => Promise<void>,
) {
  return {
    /**
     * A create: look up with `findByOrigin` before a retry.
     * @throws ServiceError invalid-input; system-not-configured in a CRM without leads
     */
    async add(lead: NewLead): Promise<number> {
      await beforeAdd();
      const parameters = { ...item, fields: fieldsOf(lead) };
      const added = rest.call({ class: 'create', method: 'crm.item.add', parameters, answer: AddedItem });
      return (await withRejectionReason(added)).item.id;
    },

    /**
     * A create when it adds phones or e-mails: read the lead before a retry.
     * @returns false when there is no such lead @throws ServiceError invalid-input
     */
    async update(id: number, change: LeadChange): Promise<boolean> {
      const update = rest.call({
        class: classOf([change]),
        method: 'crm.item.update',
        parameters: { ...item, id, fields: fieldsOf(change) },
        answer: z.unknown(),
      });
      return (await withRejectionReason(optional(update.then(() => true)))) ?? false;
    },

    /**
     * 50 a request; an outcome for each, in order. A create when one of them adds phones or e-mails.
     * @throws UpstreamError when one of them remains undone after all retries: read the leads before a retry
     */
    async updateMany(changes: readonly { id: number; change: LeadChange }[]): Promise<LeadOutcome[]> {
      const results: LeadOutcome[] = [];
      for (const batch of batches(changes)) {
        const outcomes = settled(
          await rest.batch(
            classOf(batch.map(({ change }) => change)),
            batch.map(({ id, change }, index) => ({
              key: `lead${index}`,
              method: 'crm.item.update',
              parameters: { ...item, id, fields: fieldsOf(change) },
            })),
          ),
        );
        results.push(...batch.map(({ id }, index) => toLeadOutcome(id, outcomes[index])));
      }
      return results;
    },
  };
}

function timeline(rest: CrmRest) {
  return {
    /** A create: look up with `comments` before a retry. @returns the comment's id */
    addComment(leadId: number, text: string): Promise<number> {
      const parameters = { fields: { ENTITY_ID: leadId, ENTITY_TYPE: 'lead', COMMENT: text } };
      return withRejectionReason(
        rest.call({ class: 'create', method: 'crm.timeline.comment.add', parameters, answer: Id }),
      );
    },

    /** The newest 50, newest first. */
    comments(leadId: number): Promise<LeadComment[]> {
      const filter = { ENTITY_ID: leadId, ENTITY_TYPE: 'lead' };
      const select = ['ID', 'AUTHOR_ID', 'COMMENT', 'CREATED'];
      const parameters = { filter, order: { ID: 'DESC' }, select };
      const call = { class: 'read', method: 'crm.timeline.comment.list', parameters } as const;
      return rest.call({ ...call, answer: z.array(WireComment) });
    },
  };
}

const classOf = (changes: readonly LeadChange[]): CallClass => (changes.some(addsContacts) ? 'create' : 'set');

function toLeadOutcome(id: number, outcome: SettledOutcome | undefined): LeadOutcome {
  if (outcome && !('error' in outcome)) return { id, outcome: 'updated' };
  if (outcome && isNotFound(outcome.error)) return { id, outcome: 'not-found' };
  return { id, outcome: 'rejected', reason: plainText(outcome?.error.message ?? '') };
}
