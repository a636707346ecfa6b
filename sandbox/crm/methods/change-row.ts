/** Applies given fields to a record and updates the fields derived from them. */
import type { Entity } from '../crm-data.ts';
import type { Field, Row, RowValue } from '../fields.ts';
import { storedValue } from '../fields.ts';
import { now } from '../method.ts';
import { semanticsOf } from '../pipelines.ts';
import { mergeMultifield, multifieldValues } from './multifields.ts';

export interface GivenField {
  field: Field;
  value: unknown;
}

/** @param onInvalid called for a value that does not fit the field's type */
export function changedRow(
  entity: Entity,
  row: Row,
  given: readonly GivenField[],
  { userId, onInvalid }: { userId: number; onInvalid: (field: Field) => void },
): Row {
  const changed: Row = { ...row };
  for (const { field, value } of given) {
    if (field.readOnly) continue;
    const stored = storedValue(field, value);
    if (stored === undefined) onInvalid(field);
    else if (field.type === 'crm_multifield') {
      let lastId = lastMultifieldId(changed, entity);
      changed[field.name] = mergeMultifield(
        field.name,
        row[field.name],
        Array.isArray(stored) ? stored : [],
        () => ++lastId,
      );
    } else changed[field.name] = stored;
  }
  return entity.derived(withDerivedFields(entity, changed, userId));
}

/** Values of a new record before the caller's fields. */
export type Defaults = Record<string, RowValue>;

export function newRow(entity: Entity, defaults: (id: number) => Defaults, userId: number): Row {
  const row: Row = { ID: entity.nextId() };
  for (const { name, type } of entity.fields.all) if (name !== 'ID') row[name] = type === 'crm_multifield' ? [] : null;
  const names = entity.fields.byName;
  for (const name of ['DATE_CREATE', 'CREATED_TIME', 'CREATED']) if (names.has(name)) row[name] = now();
  for (const name of ['CREATED_BY_ID', 'CREATED_BY', 'ASSIGNED_BY_ID']) if (names.has(name)) row[name] = userId;
  if (names.has('OPENED')) row.OPENED = 'Y';
  return Object.assign(row, defaults(row.ID));
}

function withDerivedFields({ fields: { byName } }: Entity, row: Row, userId: number): Row {
  for (const name of ['DATE_MODIFY', 'UPDATED_TIME', 'TIMESTAMP_X']) if (byName.has(name)) row[name] = now();
  for (const name of ['MODIFY_BY_ID', 'UPDATED_BY']) if (byName.has(name)) row[name] = userId;
  if (byName.has('HAS_PHONE')) row.HAS_PHONE = multifieldValues(row, 'PHONE').length > 0 ? 'Y' : 'N';
  if (byName.has('HAS_EMAIL')) row.HAS_EMAIL = multifieldValues(row, 'EMAIL').length > 0 ? 'Y' : 'N';
  const stage = byName.has('STATUS_ID') ? row.STATUS_ID : row.STAGE_ID;
  const isOver = semanticsOf(stage) !== 'P';
  if (byName.has('STATUS_SEMANTIC_ID')) {
    row.STATUS_SEMANTIC_ID = semanticsOf(stage);
    row.DATE_CLOSED = isOver ? row.DATE_CLOSED || now() : '';
  }
  if (byName.has('STAGE_SEMANTIC_ID')) {
    row.STAGE_SEMANTIC_ID = semanticsOf(stage);
    row.CLOSED = isOver ? 'Y' : 'N';
  }
  return row;
}

/** Entry ids are unique within the record only; callers do not rely on more. */
function lastMultifieldId(row: Row, { fields }: Entity): number {
  const ids = fields.all
    .filter(({ type }) => type === 'crm_multifield')
    .flatMap(({ name }) => row[name])
    .map(entry => Number(Object(entry).ID) || 0);
  return Math.max(row.ID * 10, ...ids);
}
