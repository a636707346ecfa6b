/** `crm.duplicate.findbycomm`: records with a phone or e-mail; at most 20 ids of each kind, the lowest first. */

import type { CrmData, Entity } from '../crm-data.ts';
import { legacyError } from '../crm-error.ts';
import type { Methods } from '../method.ts';
import { mapParameter, parameter } from '../parameters.ts';
import { multifieldValues } from './multifields.ts';

const maxHits = 20;

export function duplicateMethods({ leads, contacts }: CrmData): Methods {
  const kinds: readonly (readonly [string, Entity])[] = [
    ['LEAD', leads],
    ['CONTACT', contacts],
  ];
  return {
    'crm.duplicate.findbycomm': ({ parameters }) => {
      const type = String(parameter(parameters, 'type') ?? '').toUpperCase();
      if (type !== 'PHONE' && type !== 'EMAIL') throw legacyError('Communication type is not defined or invalid.');
      const values = Object.values(mapParameter(parameters, 'values') ?? {});
      if (values.length === 0) throw legacyError('Communication values is not defined or invalid.');
      const wanted = new Set(values.slice(0, maxHits).map(value => comparable(type, String(value))));
      const entityType = parameter(parameters, 'entity_type');
      const found: [string, number[]][] = [];
      for (const [kind, entity] of kinds) {
        if (kinds.some(([name]) => name === entityType) && kind !== entityType) continue;
        const ids = idsWith(entity, type, wanted);
        if (ids.length > 0) found.push([kind, ids]);
        // The vendor stops at the first kind that reaches the limit.
        if (ids.length >= maxHits) break;
      }
      return { result: found.length === 0 ? [] : Object.fromEntries(found) };
    },
  };
}

function idsWith({ rows }: Entity, type: string, wanted: ReadonlySet<string>): number[] {
  return rows
    .all()
    .filter(row => multifieldValues(row, type).some(value => wanted.has(comparable(type, value))))
    .slice(0, maxHits)
    .map(({ ID }) => ID);
}

/** The vendor compares digits only: 050… does not match +97150…. */
function comparable(type: string, value: string): string {
  return type === 'PHONE' ? value.replace(/\D/g, '') : value.trim().toLowerCase();
}
