/** Compares the field settings with the fields of the index. Reads only. */
import { z } from 'zod';
import { type CheckFinding, failure } from '../../runtime/finding.ts';
import type { SystemHttp } from '../kit/http.ts';
import type { ActivityLogConfig } from './config.ts';

const Capability = z.object({ searchable: z.boolean(), aggregatable: z.boolean() });
/** By field and type: indices of a pattern may differ. */
const Capabilities = z.object({ fields: z.record(z.string(), z.record(z.string(), Capability)) });

const text = /^(keyword|constant_keyword|wildcard|text|match_only_text)$/;
const exact = /^(keyword|constant_keyword|wildcard)$/;

/** The types with which searches by the field find its values, and whether entries are sorted by it. */
const needed = [
  { setting: 'ACTIVITY_LOG_TIME_FIELD', types: /^date(_nanos)?$/, sorted: true },
  { setting: 'ACTIVITY_LOG_ID_FIELD', types: /^(keyword|long)$/, sorted: true },
  { setting: 'ACTIVITY_LOG_ACTION_FIELD', types: text },
  { setting: 'ACTIVITY_LOG_LISTING_FIELD', types: text },
  { setting: 'ACTIVITY_LOG_CRM_ID_FIELD', types: /^(long|integer|unsigned_long|keyword)$/ },
  { setting: 'ACTIVITY_LOG_EMAIL_FIELD', types: exact },
  { setting: 'ACTIVITY_LOG_PHONE_FIELD', types: exact },
] as const;

/** @returns one finding for each setting that the index contradicts @throws UpstreamError */
export async function checkFields(http: SystemHttp, config: ActivityLogConfig): Promise<CheckFinding[]> {
  const names = needed.map(({ setting }) => config[setting]);
  const path = `/${config.ACTIVITY_LOG_INDEX}/_field_caps`;
  const { fields } = await http.get(path, Capabilities, { fields: names.join() });
  return needed.flatMap(({ setting, types, ...use }) => {
    const name = config[setting];
    const found = Object.entries(fields[name] ?? {});
    const fix = `correct it: the fields are in GET ${path}?fields=*`;
    if (found.length === 0) return failure(`${setting}: the index has no field ${name}`, fix);
    const wrong = found.filter(([type]) => !types.test(type)).map(([type]) => type);
    if (wrong.length > 0)
      return failure(`${setting}: the field ${name} has the unsuitable type ${wrong.join(', ')}`, fix);
    return 'sorted' in use && found.some(([, { aggregatable }]) => !aggregatable)
      ? failure(`${setting}: entries cannot be sorted by the field ${name}`, fix)
      : [];
  });
}
