/** Compares the settings with the CRM's field lists and pipelines. Reads only. */
import { type CheckFinding, failure } from '../../runtime/finding.ts';
import { settingLine } from '../kit/proposal.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import { type CrmConfig, dealSettings, leadSettings, locationSettings } from './config.ts';
import {
  type Answer,
  type CrmField,
  type CrmFields,
  crmMode,
  itemFieldList,
  leadFieldList,
  leadFieldsNeeded,
  locationFieldsNeeded,
  type NeededField,
  notFound,
  pipelineList,
  readLists,
  smartProcessList,
} from './field-lists.ts';
import { noLeads, simpleMode } from './mode.ts';
import { requirePermissions } from './permissions.ts';
import type { CrmRest } from './rest.ts';

const proposes = '`npm run connect -- crm` lists them';

export function openCrmSettings(rest: CrmRest, config: CrmConfig) {
  return {
    /** @throws UpstreamError with the permissions that the webhook lacks */
    requirePermissions: () => requirePermissions(rest),

    /** One finding for each setting that is missing, or that the CRM’s lists contradict. One request. */
    check: () => checkSettings(rest, config),

    /** Lines for `.env`, proposed from the CRM's lists by the names of pipelines, smart processes and fields. */
    async propose() {
      await requirePermissions(rest);
      return await proposeSettings(rest, config);
    },
  };
}

async function checkSettings(rest: CrmRest, config: CrmConfig): Promise<CheckFinding[]> {
  const entityType = config.CRM_LOCATION_ENTITY_TYPE;
  const items = entityType === undefined ? undefined : itemFieldList(entityType);
  const answer = await readLists(rest, [leadFieldList, pipelineList, crmMode, ...(items ? [items] : [])]);
  return [
    ...modeMistakes(answer(crmMode)),
    ...missingSettings(config),
    ...pipelineMistakes(config, answer(pipelineList)),
    ...(items ? locationMistakes(config, answer(items)) : []),
    ...leadMistakes(config, answer(leadFieldList)),
  ];
}

function* modeMistakes(mode: Answer<number>): Generator<CheckFinding> {
  if ('found' in mode && mode.found === simpleMode)
    yield failure('the CRM is in simple mode, without leads: new leads would become deals', noLeads);
}

function* missingSettings(config: CrmConfig): Generator<CheckFinding> {
  const missing = [...dealSettings, ...locationSettings, ...leadSettings].filter(name => config[name] === undefined);
  if (missing.length > 0)
    yield failure(
      `not set: ${missing.join(', ')}; operations that need them return 503`,
      'set them; `npm run connect -- crm` proposes values',
    );
}

function* pipelineMistakes(config: CrmConfig, answer: Answer<readonly { id: number }[]>): Generator<CheckFinding> {
  if ('rejected' in answer) return yield rejected('the deal pipelines', answer.rejected);
  for (const setting of dealSettings)
    for (const id of config[setting] ?? [])
      if (!answer.found.some(pipeline => pipeline.id === id))
        yield failure(
          `${setting}: the CRM has no deal pipeline ${id}, or the user of the webhook may not read it`,
          `correct it; ${proposes}`,
        );
}

function* locationMistakes(config: CrmConfig, answer: Answer<CrmFields>): Generator<CheckFinding> {
  if ('rejected' in answer)
    return yield answer.rejected === notFound
      ? failure(
          `CRM_LOCATION_ENTITY_TYPE: the CRM has no smart process ${config.CRM_LOCATION_ENTITY_TYPE}`,
          `correct it; ${proposes}`,
        )
      : rejected('the fields of the locations', answer.rejected);
  for (const needed of locationFieldsNeeded) yield* fieldMistakes(needed, config[needed.setting], answer.found);
  const typeField = answer.found[config.CRM_LOCATION_TYPE_FIELD ?? ''];
  if (typeField?.type === 'enumeration') yield* typeMistakes(config, typeField);
}

/** The values of a list are written and read by their ids. */
function* typeMistakes({ CRM_LOCATION_TYPES: types }: CrmConfig, field: CrmField): Generator<CheckFinding> {
  const wrong = types.split(',').filter(type => !field.items.some(({ ID }) => ID === type));
  if (wrong.length > 0)
    yield failure(
      `CRM_LOCATION_TYPES: the field for the level has no value with the id ${wrong.join(', ')}`,
      `set the ids of its values; ${proposes}`,
    );
}

function* leadMistakes(config: CrmConfig, answer: Answer<CrmFields>): Generator<CheckFinding> {
  if ('rejected' in answer) return yield rejected('the fields of leads', answer.rejected);
  for (const needed of leadFieldsNeeded) yield* fieldMistakes(needed, config[needed.setting], answer.found);
}

/** The CRM ignores writes to unknown and to read-only fields without an error. */
function* fieldMistakes(
  { setting, types }: NeededField,
  name: string | number | undefined,
  fields: CrmFields,
): Generator<CheckFinding> {
  if (name === undefined) return;
  const field = fields[name];
  const fix = `correct it, or create the field; ${proposes}`;
  if (!field) yield failure(`${setting}: the CRM has no field ${name}`, fix);
  else if (!types.includes(field.type))
    yield failure(`${setting}: the field ${name} has the type ${field.type}, but must have ${types.join(' or ')}`, fix);
  else if (field.multiple) yield failure(`${setting}: the field ${name} holds several values`, fix);
  else if (field.readOnly) yield failure(`${setting}: the field ${name} is read-only`, fix);
}

const rejected = (what: string, reason: string): CheckFinding =>
  failure(
    `the CRM does not let us read ${what} (${reason})`,
    'give the user of the webhook in CRM_URL the right to read them',
  );

interface Named {
  id: number;
  name: string;
}

/** City, community, sub-community and property, in the order of CRM_LOCATION_TYPES. */
const levelWords = [/city|emirate/i, /^community|^area/i, /sub/i, /tower|property|building/i];

/** @returns lines for `.env`, with the alternatives in comments @throws UpstreamError */
export async function proposeSettings(rest: CrmRest, config: CrmConfig): Promise<string[]> {
  const answer = await readLists(rest, [pipelineList, smartProcessList, leadFieldList, crmMode]);
  const mode = answer(crmMode);
  const pipelines = required('the deal pipelines', answer(pipelineList));
  const types = answer(smartProcessList);
  const fitting = 'found' in types ? types.found.find(({ name }) => /location|communit/i.test(name)) : undefined;
  const entityType = config.CRM_LOCATION_ENTITY_TYPE ?? fitting?.id;
  return [
    ...('found' in mode && mode.found === simpleMode ? [`# ${noLeads}`, ''] : []),
    `# Deal pipelines: ${listOf(pipelines)}.`,
    settingLine('CRM_PRIMARY_PIPELINES', idsOf(pipelines, /primary|off.?plan|developer/i)),
    settingLine('CRM_SECONDARY_PIPELINES', idsOf(pipelines, /second|resale|re.?sale/i)),
    '',
    'found' in types
      ? `# Smart processes: ${listOf(types.found)}.`
      : `# The CRM does not list its smart processes (${types.rejected}): create the webhook as an administrator of the CRM.`,
    settingLine('CRM_LOCATION_ENTITY_TYPE', entityType === undefined ? undefined : String(entityType)),
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
  return [...lines, settingLine('CRM_LOCATION_TYPES', ids)];
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
      return settingLine(variable, fitting?.[0]);
    }),
  ];
}

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
    kind: 'rejected',
    system: 'crm',
  });
}
