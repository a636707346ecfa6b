/** The legacy methods (`crm.deal.list` …): scalars are sent as text, unknown fields ignored, errors have no code. */

import type { Entity } from '../crm-data.ts';
import { legacyError } from '../crm-error.ts';
import { describeField, type Field, isCustom, legacyValue, type Row } from '../fields.ts';
import { conditionOf } from '../filter.ts';
import { pageOf } from '../list.ts';
import type { Method, MethodCall, Methods } from '../method.ts';
import { idParameter, mapParameter, type Parameters, parameter } from '../parameters.ts';
import { changedRow, type Defaults, newRow } from './change-row.ts';

/** @param name such as `crm.lead` */
export function legacyEntityMethods(name: string, entity: Entity, defaults: (id: number) => Defaults): Methods {
  return {
    [`${name}.list`]: legacyList(entity),
    [`${name}.get`]: call => ({ result: rendered(entity.fields.all, requestedRow(entity, call)) }),
    [`${name}.add`]: call => ({ result: add(entity, call, defaults) }),
    [`${name}.update`]: call => ({ result: update(entity, call) }),
    [`${name}.delete`]: call => ({ result: entity.rows.delete(requestedRow(entity, call).ID) }),
    [`${name}.fields`]: () => ({ result: describeFields(entity) }),
  };
}

function legacyList(entity: Entity): Method {
  return ({ parameters }) => {
    const filter = mapParameter(parameters, 'filter');
    if (!filter) throw legacyError("Parameter 'filter' must be array.");
    const { byName } = entity.fields;
    const matches = conditionOf(filter, {
      findField: field => byName.get(field),
      unknown: () => () => true,
      isItemList: false,
    });
    const { rows, total, next } = pageOf(entity.rows.all(), matches, parameters, field => byName.get(field)?.name);
    const selected = selectedFields(entity, parameters);
    return { result: rows.map(row => rendered(selected, row)), total, next };
  };
}

/** Always the id; custom fields and multifields only when selected. */
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
    // The vendor omits an empty multifield.
    if (field.type === 'crm_multifield' && Array.isArray(value) && value.length === 0) continue;
    shown[field.name] = legacyValue(field, value);
  }
  return shown;
}

export function requestedRow(entity: Entity, { parameters }: MethodCall): Row {
  const id = idParameter(parameters, 'id');
  if (id === undefined) throw legacyError('ID is not defined or invalid.');
  const row = entity.rows.get(id);
  if (!row) throw legacyError('Not found');
  return row;
}

function add(entity: Entity, call: MethodCall, defaults: (id: number) => Defaults): number {
  const given = givenFields(entity, call.parameters);
  const row = newRow(entity, defaults, call.userId);
  const changed = changedRow(entity, row, given, { userId: call.userId, onInvalid: refuse });
  entity.rows.put(changed);
  return changed.ID;
}

function update(entity: Entity, call: MethodCall): true {
  const row = requestedRow(entity, call);
  entity.rows.put(
    changedRow(entity, row, givenFields(entity, call.parameters), { userId: call.userId, onInvalid: refuse }),
  );
  return true;
}

function givenFields({ fields: { byName } }: Entity, parameters: Parameters) {
  const given = parameter(parameters, 'fields') === undefined ? undefined : mapParameter(parameters, 'fields');
  if (!given) throw legacyError("Parameter 'fields' must be array.");
  return Object.entries(given).flatMap(([name, value]) => {
    const field = byName.get(name);
    return field ? [{ field, value }] : [];
  });
}

function refuse({ name }: Field): never {
  throw legacyError(`Wrong value of the field "${name}".`);
}

const describeFields = ({ fields: { all } }: Entity): Record<string, unknown> =>
  Object.fromEntries(all.map(field => [field.name, describeField(field, field.name)]));
