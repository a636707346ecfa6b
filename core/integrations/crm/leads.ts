/** The CRM's leads. */
import { z } from 'zod';
import type { CallClass } from '../kit/call.ts';
import type { CrmConfig } from './config.ts';
import { foundIn, isMissing, plainSentence, unlessMissing, withReasons } from './refusal.ts';
import { type CommandOutcome, type CrmRest, commandsABatch } from './rest.ts';
import {
  customNames,
  type Lead,
  type LeadChange,
  type LeadComment,
  leadFields,
  type NewLead,
  type ProductRow,
  WireComment,
  WireDuplicates,
  WireProductRow,
  wireLead,
} from './wire/lead.ts';
import { Id } from './wire/scalars.ts';

export { type Lead, LeadChange, type LeadComment, NewLead, type ProductRow } from './wire/lead.ts';

export type LeadOutcome = { id: number } & (
  | { outcome: 'updated' | 'not-found' }
  | { outcome: 'refused'; reason: string }
);

export interface Duplicates {
  leads: number[];
  contacts: number[];
  companies: number[];
}

/** Phones or e-mails that the CRM looks up in one command. */
const valuesALookUp = 20;

/** Changes made by a program are not shown to the staff one by one. */
const quietly = { REGISTER_SONET_EVENT: 'N' };

/** The CRM adds phones and e-mails each time it is sent them, whether the lead has them or not. */
export const addsContacts = ({ phones = [], emails = [] }: LeadChange): boolean =>
  phones.length > 0 || emails.length > 0;

const classOf = (change: LeadChange): CallClass => (addsContacts(change) ? 'create' : 'set');

export function openLeads(rest: CrmRest, config: CrmConfig) {
  const names = customNames(config);
  const consentName = config.CRM_LEAD_CONSENT_FIELD;
  const WireLead = wireLead(names, consentName);
  const fieldsOf = (lead: LeadChange) => leadFields(names, consentName, lead);

  return {
    get: (id: number): Promise<Lead | undefined> =>
      unlessMissing(
        rest.call({ class: 'read', method: 'crm.lead.get', parameters: { id }, answer: WireLead }),
      ),

    /** 50 a request; those that the CRM does not have are left out. */
    async getMany(ids: readonly number[]): Promise<Map<number, Lead>> {
      const leads = new Map<number, Lead>();
      for (const some of batches(ids)) {
        const outcomes = await rest.batch(
          'read',
          some.map(id => ({ key: `lead${id}`, method: 'crm.lead.get', parameters: { id } })),
        );
        for (const outcome of outcomes) {
          const lead = foundIn(outcome, WireLead);
          if (lead) leads.set(lead.id, lead);
        }
      }
      return leads;
    },

    /** A create: look up with `findByOrigin` before trying again. @throws ServiceError invalid-input */
    add: (lead: NewLead): Promise<number> =>
      withReasons(
        rest.call({
          class: 'create',
          method: 'crm.lead.add',
          parameters: { fields: fieldsOf(lead), params: quietly },
          answer: Id,
        }),
      ),

    /**
     * A create when it adds phones or e-mails: read the lead before trying again.
     * @returns false when there is no such lead @throws ServiceError invalid-input
     */
    async update(id: number, change: LeadChange): Promise<boolean> {
      const done = rest.call({
        class: classOf(change),
        method: 'crm.lead.update',
        parameters: { id, fields: fieldsOf(change), params: quietly },
        answer: z.unknown(),
      });
      return (await withReasons(unlessMissing(done.then(() => true)))) ?? false;
    },

    /** 50 a request; an outcome for each, in order. A create when one of them adds phones or e-mails. */
    async updateMany(changes: readonly { id: number; change: LeadChange }[]): Promise<LeadOutcome[]> {
      const results: LeadOutcome[] = [];
      for (const some of batches(changes)) {
        const outcomes = await rest.batch(
          some.some(({ change }) => addsContacts(change)) ? 'create' : 'set',
          some.map(({ id, change }, index) => ({
            key: `lead${index}`,
            method: 'crm.lead.update',
            parameters: { id, fields: fieldsOf(change), params: quietly },
          })),
        );
        results.push(...some.map(({ id }, index) => outcomeOf(id, outcomes[index])));
      }
      return results;
    },

    /** The first lead that another system's record became. */
    async findByOrigin(origin: { originatorId: string; originId: string }): Promise<number | undefined> {
      const found = await rest.call({
        class: 'read',
        method: 'crm.lead.list',
        parameters: {
          filter: { '=ORIGINATOR_ID': origin.originatorId, '=ORIGIN_ID': origin.originId },
          order: { ID: 'ASC' },
          select: ['ID'],
          start: -1,
        },
        answer: z.array(z.object({ ID: Id })),
      });
      return found[0]?.ID;
    },

    /** Records that have one of the phones (E.164) or e-mails; up to 20 of each. */
    async duplicates({
      phones = [],
      emails = [],
    }: {
      phones?: string[];
      emails?: string[];
    }): Promise<Duplicates> {
      const lookUps = [
        { key: 'phone', type: 'PHONE', values: phones.slice(0, valuesALookUp) },
        { key: 'email', type: 'EMAIL', values: emails.slice(0, valuesALookUp) },
      ].filter(({ values }) => values.length > 0);
      if (lookUps.length === 0) return { leads: [], contacts: [], companies: [] };
      const outcomes = await rest.batch(
        'read',
        lookUps.map(({ key, type, values }) => ({
          key,
          method: 'crm.duplicate.findbycomm',
          parameters: { type, values },
        })),
      );
      return joined(outcomes.flatMap(outcome => foundIn(outcome, WireDuplicates) ?? []));
    },

    /** @returns undefined when there is no such lead */
    productRows: (leadId: number): Promise<ProductRow[] | undefined> =>
      unlessMissing(
        rest.call({
          class: 'read',
          method: 'crm.lead.productrows.get',
          parameters: { id: leadId },
          answer: z.array(WireProductRow),
        }),
      ),

    /** A create, on the lead's timeline: look up with `comments` before trying again. @returns the comment's id */
    addComment: (leadId: number, text: string): Promise<number> =>
      withReasons(
        rest.call({
          class: 'create',
          method: 'crm.timeline.comment.add',
          parameters: { fields: { ENTITY_ID: leadId, ENTITY_TYPE: 'lead', COMMENT: text } },
          answer: Id,
        }),
      ),

    /** The newest 50, newest first. */
    comments: (leadId: number): Promise<LeadComment[]> =>
      rest.call({
        class: 'read',
        method: 'crm.timeline.comment.list',
        parameters: {
          filter: { ENTITY_ID: leadId, ENTITY_TYPE: 'lead' },
          order: { ID: 'DESC' },
          select: ['ID', 'AUTHOR_ID', 'COMMENT', 'CREATED'],
        },
        answer: z.array(WireComment),
      }),
  };
}

function outcomeOf(id: number, outcome: CommandOutcome | undefined): LeadOutcome {
  if (outcome && !('error' in outcome)) return { id, outcome: 'updated' };
  if (outcome && isMissing(outcome.error)) return { id, outcome: 'not-found' };
  return { id, outcome: 'refused', reason: plainSentence(outcome?.error.message ?? '') };
}

const joined = (found: readonly z.output<typeof WireDuplicates>[]): Duplicates => ({
  leads: [...new Set(found.flatMap(({ LEAD }) => LEAD))],
  contacts: [...new Set(found.flatMap(({ CONTACT }) => CONTACT))],
  companies: [...new Set(found.flatMap(({ COMPANY }) => COMPANY))],
});

function* batches<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += commandsABatch) yield all.slice(from, from + commandsABatch);
}
