/** Who else has this phone or e-mail: at most twenty ids a kind, the oldest first. */

import type { CrmData, Entity } from '../crm-data.ts';
import { oldStyle } from '../crm-fault.ts';
import type { Methods } from '../method.ts';
import { mapParameter, parameter } from '../parameters.ts';
import { multifieldValues } from './multifields.ts';

const mostHits = 20;

export function duplicateMethods({ leads, contacts }: CrmData): Methods {
  const kinds: readonly (readonly [string, Entity])[] = [
    ['LEAD', leads],
    ['CONTACT', contacts],
  ];
  return {
    'crm.duplicate.findbycomm': ({ parameters }) => {
      const type = String(parameter(parameters, 'type') ?? '').toUpperCase();
      if (type !== 'PHONE' && type !== 'EMAIL')
        throw oldStyle('Communication type is not defined or invalid.');
      const values = Object.values(mapParameter(parameters, 'values') ?? {});
      if (values.length === 0) throw oldStyle('Communication values is not defined or invalid.');
      const wanted = new Set(values.slice(0, mostHits).map(value => comparable(type, String(value))));
      const asked = parameter(parameters, 'entity_type');
      const found: [string, number[]][] = [];
      for (const [kind, entity] of kinds) {
        if (kinds.some(([name]) => name === asked) && kind !== asked) continue;
        const ids = idsWith(entity, type, wanted);
        if (ids.length > 0) found.push([kind, ids]);
        // A kind that is full hides the kinds after it.
        if (ids.length >= mostHits) break;
      }
      return { result: found.length === 0 ? [] : Object.fromEntries(found) };
    },
  };
}

function idsWith({ rows }: Entity, type: string, wanted: ReadonlySet<string>): number[] {
  return rows
    .all()
    .filter(row => multifieldValues(row, type).some(value => wanted.has(comparable(type, value))))
    .slice(0, mostHits)
    .map(({ ID }) => ID);
}

/** The vendor compares digits only: 050… is not +97150…. */
function comparable(type: string, value: string): string {
  return type === 'PHONE' ? value.replace(/\D/g, '') : value.trim().toLowerCase();
}
