/** The old family of methods (`crm.deal.list` …): scalars as text, unknown fields ignored, errors without a code. */

import type { Entity } from '../crm-data.ts';
import { oldStyle } from '../crm-fault.ts';
import { type Field, isCustom, oldValue, type Row } from '../fields.ts';
import { conditionOf } from '../filter.ts';
import { pageOf } from '../list.ts';
import type { Method, MethodCall, Methods } from '../method.ts';
import { idParameter, mapParameter, type Parameters, parameter } from '../parameters.ts';
import { changedRow, type Defaults, newRow } from './change-row.ts';

/** @param name such as `crm.lead` */
export function oldEntityMethods(name: string, entity: Entity, defaults: (id: number) => Defaults): Methods {
  return {
    [`${name}.list`]: oldList(entity),
    [`${name}.get`]: call => ({ result: rendered(entity.fields.all, rowNamed(entity, call)) }),
    [`${name}.add`]: call => ({ result: add(entity, call, defaults) }),
    [`${name}.update`]: call => ({ result: update(entity, call) }),
    [`${name}.delete`]: call => ({ result: entity.rows.delete(rowNamed(entity, call).ID) }),
    [`${name}.fields`]: () => ({ result: describeFields(entity) }),
  };
}

function oldList(entity: Entity): Method {
  return ({ parameters }) => {
    const filter = mapParameter(parameters, 'filter');
    if (!filter) throw oldStyle("Parameter 'filter' must be array.");
    const { byName } = entity.fields;
    const matches = conditionOf(filter, {
      fieldNamed: field => byName.get(field),
      unknown: () => () => true,
      isItemList: false,
    });
    const { rows, total, next } = pageOf(
      entity.rows.all(),
      matches,
      parameters,
      field => byName.get(field)?.name,
    );
    const selected = selectedFields(entity, parameters);
    return { result: rows.map(row => rendered(selected, row)), total, next };
  };
}

/** All but the custom ones and the channels, unless they are asked for; the id always. */
function selectedFields({ fields: { all } }: Entity, parameters: Parameters): readonly Field[] {
  const names = Object.values(mapParameter(parameters, 'select') ?? {}).map(String);
  const everything = names.length === 0 || names.includes('*');
  return all.filter(
    field =>
      field.name === 'ID' ||
      names.includes(field.name) ||
      (names.includes('UF_*') && isCustom(field)) ||
      (everything && !isCustom(field) && field.type !== 'crm_multifield'),
  );
}

function rendered(fields: readonly Field[], row: Row): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const field of fields) {
    const value = row[field.name];
    // A record without a phone has no such key.
    if (field.type === 'crm_multifield' && Array.isArray(value) && value.length === 0) continue;
    shown[field.name] = oldValue(field, value);
  }
  return shown;
}

export function rowNamed(entity: Entity, { parameters }: MethodCall): Row {
  const id = idParameter(parameters, 'id');
  if (id === undefined) throw oldStyle('ID is not defined or invalid.');
  const row = entity.rows.get(id);
  if (!row) throw oldStyle('Not found');
  return row;
}

function add(entity: Entity, call: MethodCall, defaults: (id: number) => Defaults): number {
  const given = givenFields(entity, call.parameters);
  const row = newRow(entity, defaults, call.userId);
  const changed = changedRow(entity, row, given, call.userId, refuse);
  entity.rows.put(changed);
  return changed.ID;
}

function update(entity: Entity, call: MethodCall): true {
  const row = rowNamed(entity, call);
  entity.rows.put(changedRow(entity, row, givenFields(entity, call.parameters), call.userId, refuse));
  return true;
}

function givenFields({ fields: { byName } }: Entity, parameters: Parameters) {
  const given =
    parameter(parameters, 'fields') === undefined ? undefined : mapParameter(parameters, 'fields');
  if (!given) throw oldStyle("Parameter 'fields' must be array.");
  return Object.entries(given).flatMap(([name, value]) => {
    const field = byName.get(name);
    return field ? [{ field, value }] : [];
  });
}

function refuse({ name }: Field): never {
  throw oldStyle(`Wrong value of the field "${name}".`);
}

function describeFields({ fields: { all } }: Entity): Record<string, unknown> {
  return Object.fromEntries(
    all.map(field => [
      field.name,
      {
        type: field.type === 'money' ? 'double' : field.type,
        isRequired: false,
        isReadOnly: field.readOnly,
        isImmutable: false,
        isMultiple: field.type === 'crm_multifield' || field.type === 'list',
        isDynamic: isCustom(field),
        title: field.name,
      },
    ]),
  );
}
