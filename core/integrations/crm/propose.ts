/** Proposes the settings that differ between CRM accounts, from the names that the account's users have given. */
import { UpstreamError } from '../kit/upstream-error.ts';
import type { CrmConfig } from './config.ts';
import {
  type Answer,
  type CrmFields,
  itemFieldList,
  leadFieldList,
  leadFieldsNeeded,
  locationFieldsNeeded,
  type NeededField,
  pipelineList,
  readLists,
  smartProcessList,
} from './field-lists.ts';
import type { CrmRest } from './rest.ts';

interface Named {
  id: number;
  name: string;
}

/** City, community, sub-community and property, in the order of CRM_LOCATION_TYPES. */
const levelWords = [/city|emirate/i, /^community|^area/i, /sub/i, /tower|property|building/i];

/** @returns lines for `.env`, with the alternatives in comments @throws UpstreamError */
export async function proposeSettings(rest: CrmRest, config: CrmConfig): Promise<string[]> {
  const answer = await readLists(rest, [pipelineList, smartProcessList, leadFieldList]);
  const pipelines = required('the deal pipelines', answer(pipelineList));
  const types = answer(smartProcessList);
  const fitting = 'found' in types ? types.found.find(({ name }) => /location|communit/i.test(name)) : undefined;
  const entityType = config.CRM_LOCATION_ENTITY_TYPE ?? fitting?.id;
  return [
    `# Deal pipelines: ${listOf(pipelines)}.`,
    setting('CRM_PRIMARY_PIPELINES', idsOf(pipelines, /primary|off.?plan|developer/i)),
    setting('CRM_SECONDARY_PIPELINES', idsOf(pipelines, /second|resale|re.?sale/i)),
    '',
    'found' in types
      ? `# Smart processes: ${listOf(types.found)}.`
      : `# The CRM does not list its smart processes (${types.rejected}): create the webhook as an administrator of the CRM.`,
    setting('CRM_LOCATION_ENTITY_TYPE', entityType === undefined ? undefined : String(entityType)),
    ...(entityType === undefined ? [] : await locationLines(rest, entityType)),
    '',
    ...fieldLines('leads', leadFieldsNeeded, required('the fields of leads', answer(leadFieldList))),
  ];
}

async function locationLines(rest: CrmRest, entityTypeId: number): Promise<string[]> {
  const list = itemFieldList(entityTypeId);
  const fields = required('the fields of the locations', (await readLists(rest, [list]))(list));
  const lines = fieldLines('the locations', locationFieldsNeeded, fields);
  const type = Object.values(fields).find(
    field => field.type === 'enumeration' && levelWords.every(word => valueLike(field.items, word)),
  );
  if (!type) return lines;
  const ids = levelWords.map(word => valueLike(type.items, word)?.ID).join(',');
  return [...lines, setting('CRM_LOCATION_TYPES', ids)];
}

const valueLike = (items: readonly { ID: string; VALUE: string }[], word: RegExp) =>
  items.find(({ VALUE }) => word.test(VALUE));

function fieldLines(records: string, needed: readonly NeededField[], fields: CrmFields): string[] {
  const custom = Object.entries(fields).filter(([, field]) => field.custom);
  return [
    `# Custom fields of ${records}:`,
    ...custom.map(([name, { label, type }]) => `#   ${name} ${JSON.stringify(label)} (${type})`),
    ...needed.map(({ setting: variable, types, words }) => {
      const fitting = custom.find(
        ([name, field]) =>
          types.includes(field.type) &&
          !field.multiple &&
          !field.readOnly &&
          (words.test(field.label) || words.test(name)),
      );
      return setting(variable, fitting?.[0]);
    }),
  ];
}

/** A setting without a fitting value is a comment: an empty value would count as unset. */
const setting = (name: string, value: string | undefined): string =>
  value === undefined || value === '' ? `# ${name}=    (none has a fitting name and type)` : `${name}=${value}`;

const idsOf = (pipelines: readonly Named[], words: RegExp): string =>
  pipelines
    .filter(({ name }) => words.test(name))
    .map(({ id }) => id)
    .join(',');

const listOf = (named: readonly Named[]): string =>
  named.map(({ id, name }) => `${id} ${JSON.stringify(name)}`).join(', ') || 'none';

function required<T>(what: string, answer: Answer<T>): T {
  if ('found' in answer) return answer.found;
  throw new UpstreamError('upstream-failed', `The CRM does not let us read ${what} (${answer.rejected}).`, {
    ...{ system: 'crm', transient: false, maybeExecuted: false },
  });
}
