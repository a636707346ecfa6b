/** The CRM's descriptions of its fields, smart processes and deal pipelines, and the fields that the settings name. */
import { z } from 'zod';
import type { leadSettings, locationSettings } from './config.ts';
import { modeMethod } from './mode.ts';
import { isNotFound } from './rejection.ts';
import type { Command, CommandOutcome, CrmRest } from './rest.ts';
import { dealEntityType } from './wire/deal.ts';
import { leadEntityType } from './wire/lead.ts';
import { Id, mapOf, Text } from './wire/scalars.ts';

export interface NeededField<Setting extends string = string> {
  setting: Setting;
  /** Types of the CRM whose values the connector reads and writes. */
  types: readonly string[];
  /** Matches the name or a label of a field that was created for the purpose. */
  words: RegExp;
}

const text = ['string'];

export const leadFieldsNeeded: readonly NeededField<(typeof leadSettings)[number]>[] = [
  { setting: 'CRM_LEAD_COUNTRY_FIELD', types: text, words: /country/i },
  { setting: 'CRM_LEAD_DNC_FIELD', types: text, words: /dnc|do.?not.?call/i },
  { setting: 'CRM_LEAD_LOCATIONS_FIELD', types: text, words: /location/i },
  { setting: 'CRM_LEAD_AGENT_FIELD', types: text, words: /agent|broker/i },
  { setting: 'CRM_LEAD_ACTIVITY_FIELD', types: text, words: /activity/i },
  { setting: 'CRM_LEAD_CONSENT_FIELD', types: ['boolean'], words: /consent/i },
  { setting: 'CRM_LEAD_PAGE_FIELD', types: ['string', 'url'], words: /page|\burl\b/i },
];

export const locationFieldsNeeded: readonly NeededField<(typeof locationSettings)[number]>[] = [
  { setting: 'CRM_LOCATION_TYPE_FIELD', types: ['string', 'enumeration'], words: /type|level/i },
  { setting: 'CRM_LOCATION_PARENT_FIELD', types: ['integer', 'double', 'string'], words: /parent/i },
  {
    setting: 'CRM_LOCATION_PORTAL_ID_FIELD',
    types: ['string', 'integer'],
    words: /portal|property.?finder/i,
  },
  { setting: 'CRM_LOCATION_ARABIC_FIELD', types: text, words: /arab|name.?ar\b/i },
];

const Field = z
  .object({
    type: z.string(),
    isMultiple: z.boolean().default(false),
    isReadOnly: z.boolean().default(false),
    isDynamic: z.boolean().default(false),
    title: Text,
    formLabel: Text,
    listLabel: Text,
    items: z.array(z.object({ ID: Id.transform(String), VALUE: Text })).default([]),
  })
  .transform(({ isMultiple, isReadOnly, isDynamic, title, formLabel, listLabel, ...field }) => ({
    ...field,
    label: formLabel || listLabel || title,
    multiple: isMultiple,
    readOnly: isReadOnly,
    /** Created by the account's users. */
    custom: isDynamic,
  }));
export type CrmField = z.output<typeof Field>;

/** By name. */
export type CrmFields = Readonly<Record<string, CrmField>>;

const Pipelines = z
  .object({ categories: z.array(z.object({ id: Id, name: Text })) })
  .transform(({ categories }) => [...categories].sort((a, b) => a.id - b.id));
const SmartProcesses = z
  .object({ types: z.array(z.object({ entityTypeId: Id, title: Text })) })
  .transform(({ types }) => types.map(({ entityTypeId, title }) => ({ id: entityTypeId, name: title })));

interface List<R extends z.ZodType> {
  command: Command;
  result: R;
}

/** `rejected`: the CRM's code or text; `not-found` when it has no such smart process. */
export type Answer<T> = { found: T } | { rejected: string };

const fieldList = (key: string, parameters: object): List<z.ZodType<CrmFields>> => ({
  command: { key, method: 'crm.item.fields', parameters: { ...parameters } },
  result: z.object({ fields: mapOf(Field) }).transform(({ fields }) => fields),
});
export const leadFieldList = fieldList('leads', { entityTypeId: leadEntityType, useOriginalUfNames: 'Y' });
export const itemFieldList = (entityTypeId: number) => fieldList('items', { entityTypeId });
export const pipelineList = {
  command: {
    key: 'pipelines',
    method: 'crm.category.list',
    parameters: { entityTypeId: dealEntityType },
  },
  result: Pipelines,
};
/** Requires administration rights in the CRM; the other lists do not. */
export const smartProcessList = {
  command: { key: 'types', method: 'crm.type.list', parameters: {} },
  result: SmartProcesses,
};

/** Not a list: the CRM's mode, read with the lists. */
export const crmMode = { command: { key: 'mode', method: modeMethod, parameters: {} }, result: Id };

/** Reads the lists in one request. @returns a function that gives the answer for a list @throws UpstreamError */
export async function readLists(rest: CrmRest, lists: readonly List<z.ZodType>[]) {
  const outcomes = await rest.batch(
    'read',
    lists.map(({ command }) => command),
  );
  return <R extends z.ZodType>(list: List<R>): Answer<z.output<R>> => {
    const outcome = outcomes[lists.findIndex(({ command }) => command.key === list.command.key)];
    return outcome ? answerOf(outcome, list.result) : { rejected: 'no answer' };
  };
}

function answerOf<R extends z.ZodType>(outcome: CommandOutcome, result: R): Answer<z.output<R>> {
  if ('failure' in outcome) throw outcome.failure;
  if ('error' in outcome)
    return {
      rejected: isNotFound(outcome.error) ? notFound : outcome.error.code || outcome.error.message,
    };
  const parsed = result.safeParse(outcome.result);
  return parsed.success ? { found: parsed.data } : { rejected: 'an answer in an unexpected form' };
}

export const notFound = 'not-found';
