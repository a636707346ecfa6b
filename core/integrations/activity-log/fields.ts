/** The fields that the settings name: compares them with the fields of the index, and proposes them. Reads only. */
import { z } from 'zod';
import { type CheckFinding, failure } from '../../runtime/finding.ts';
import type { SystemHttp } from '../kit/http.ts';
import { settingLine } from '../kit/proposal.ts';
import type { ActivityLogConfig } from './config.ts';

const Capability = z.object({ searchable: z.boolean(), aggregatable: z.boolean() });
/** By field and type: indices of a pattern may differ. */
const FieldTypes = z.record(z.string(), Capability);
type FieldTypes = z.output<typeof FieldTypes>;
const Capabilities = z.object({ fields: z.record(z.string(), FieldTypes) });

const text = /^(keyword|constant_keyword|wildcard|text|match_only_text)$/;
const exact = /^(keyword|constant_keyword|wildcard)$/;

/**
 * The types with which searches by the field find its values, whether entries are sorted by it, and the words in the name
 * of such a field.
 */
const needed = [
  { setting: 'ACTIVITY_LOG_TIME_FIELD', types: /^date(_nanos)?$/, sorted: true, words: /time|date/i },
  {
    setting: 'ACTIVITY_LOG_ID_FIELD',
    types: /^(keyword|long)$/,
    sorted: true,
    words: /(^|event[._]?|log[._]?)u?u?id\b/i,
  },
  { setting: 'ACTIVITY_LOG_ACTION_FIELD', types: text, words: /action|activity|event[._](name|type)/i },
  { setting: 'ACTIVITY_LOG_LISTING_FIELD', types: text, words: /listing|property|reference/i },
  {
    setting: 'ACTIVITY_LOG_CRM_ID_FIELD',
    types: /^(long|integer|unsigned_long|keyword)$/,
    words: /crm|bitrix|lead[._]?id/i,
  },
  { setting: 'ACTIVITY_LOG_EMAIL_FIELD', types: exact, words: /e?mail/i },
  { setting: 'ACTIVITY_LOG_PHONE_FIELD', types: exact, words: /phone|mobile/i },
] as const;

/** @returns one finding for each setting that the index contradicts @throws UpstreamError */
export async function checkFields(http: SystemHttp, config: ActivityLogConfig): Promise<CheckFinding[]> {
  const names = needed.map(({ setting }) => config[setting]);
  const fields = await readFields(http, config, names.join());
  return needed.flatMap(({ setting, types, ...use }) => {
    const name = config[setting];
    const found = Object.entries(fields[name] ?? {});
    const fix = 'correct it: `npm run connect -- activity-log` lists the fields';
    if (found.length === 0) return failure(`${setting}: the index has no field ${name}`, fix);
    const wrong = found.filter(([type]) => !types.test(type)).map(([type]) => type);
    if (wrong.length > 0)
      return failure(`${setting}: the field ${name} has the unsuitable type ${wrong.join(', ')}`, fix);
    return 'sorted' in use && found.some(([, { aggregatable }]) => !aggregatable)
      ? failure(`${setting}: entries cannot be sorted by the field ${name}`, fix)
      : [];
  });
}

/** @returns lines for `.env`, with all fields in comments @throws UpstreamError */
export async function proposeFields(http: SystemHttp, config: ActivityLogConfig): Promise<string[]> {
  const fields = Object.entries(await readFields(http, config, '*'));
  const typesOf = (found: FieldTypes) => Object.keys(found).join(', ');
  return [
    `# Fields of the index ${config.ACTIVITY_LOG_INDEX}:`,
    ...fields.map(([name, found]) => `#   ${name} (${typesOf(found)})`),
    ...needed.map(({ setting, types, words, ...use }) => {
      const fitting = fields.filter(
        ([, found]) =>
          Object.keys(found).every(type => types.test(type)) &&
          (!('sorted' in use) || Object.values(found).every(({ aggregatable }) => aggregatable)),
      );
      const [name] =
        fitting.find(([known]) => known === config[setting]) ?? fitting.find(([known]) => words.test(known)) ?? [];
      return settingLine(setting, name);
    }),
  ];
}

/** Without the store's own fields, such as `_id`. */
async function readFields(
  http: SystemHttp,
  { ACTIVITY_LOG_INDEX }: ActivityLogConfig,
  fields: string,
): Promise<Record<string, FieldTypes>> {
  const found = await http.get(`/${ACTIVITY_LOG_INDEX}/_field_caps`, Capabilities, { fields });
  return Object.fromEntries(Object.entries(found.fields).filter(([name]) => !name.startsWith('_')));
}
