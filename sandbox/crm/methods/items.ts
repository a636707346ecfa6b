/** The `crm.item.*` methods: one set for every kind of record; numbers are sent as numbers, errors have codes. */
import type { CrmData, Entity } from '../crm-data.ts';
import { CrmError } from '../crm-error.ts';
import { describeField, type Field, isCustom, itemValue, labelOf, type Row } from '../fields.ts';
import { type Condition, conditionOf } from '../filter.ts';
import { pageOf } from '../list.ts';
import { isDenied as isDeniedLead, messyRow } from '../messy-data.ts';
import type { MethodCall, Methods } from '../method.ts';
import { idParameter, isMap, mapParameter, type Parameters, parameter } from '../parameters.ts';
import { changedRow, type Defaults, newRow } from './change-row.ts';
import { newDeal, newLead } from './sales.ts';

interface ItemType {
  entityTypeId: number;
  entity: Entity;
  title: string;
  /** A smart process of this portal, not a built-in kind. */
  isSmartProcess: boolean;
  defaults: Defaults;
  /** The row as it is served. */
  served: (row: Row) => Row;
  /** Whether the webhook's user may not read and change the row. */
  isDenied: (row: Row) => boolean;
}

/** Only administrators of the CRM may list its smart processes. */
const administratorId = 1;

/** @param isMessy whether rows are served in odd forms */
export function itemMethods(data: CrmData, isMessy: () => boolean): Methods {
  const types = new Map(itemTypes(data, isMessy).map(type => [type.entityTypeId, type]));
  const typeOf = ({ parameters }: MethodCall): ItemType => {
    const type = types.get(idParameter(parameters, 'entityTypeId') ?? 0);
    if (!type) throw new CrmError(400, 'NOT_FOUND', 'SPA not found');
    return type;
  };

  return {
    'crm.item.list': call => list(typeOf(call), call.parameters),
    'crm.item.get': call => {
      const type = typeOf(call);
      return { result: { item: rendered(type, requestedRow(type, call), call.parameters, ['*']) } };
    },
    'crm.item.add': call => {
      const type = typeOf(call);
      const row = newRow(type.entity, id => ({ TITLE: `${type.title} #${id}`, ...type.defaults }), call.userId);
      return { result: { item: saved(type, changedBy(type, row, call), call) } };
    },
    'crm.item.update': call => {
      const type = typeOf(call);
      const row = requestedRow(type, call);
      const changed = changedBy(type, row, call);
      // The vendor does not save an item without changes.
      return { result: { item: saved(type, isSame(row, changed) ? row : changed, call) } };
    },
    'crm.item.delete': call => {
      const type = typeOf(call);
      type.entity.rows.delete(requestedRow(type, call).ID);
      return { result: [] };
    },
    'crm.item.fields': call => ({ result: { fields: describeFields(typeOf(call), call.parameters) } }),
    'crm.type.list': ({ userId }) => {
      if (userId !== administratorId) throw new CrmError(400, 'ACCESS_DENIED', 'Access denied');
      return { result: { types: smartProcesses([...types.values()]) }, total: 3 };
    },
  };
}

function itemTypes(data: CrmData, isMessy: () => boolean): ItemType[] {
  const { leads, deals, contacts, locations, viewings, listings } = data;
  const deniedIn = (entity: Entity) => (row: Row) => isMessy() && entity === leads && isDeniedLead(row);
  const servedBy = (entity: Entity) => (row: Row) => (isMessy() ? messyRow(data, entity, row) : row);
  const builtIn = (entityTypeId: number, entity: Entity, title: string, defaults: Defaults): ItemType => ({
    entityTypeId,
    entity,
    title,
    defaults,
    isSmartProcess: false,
    served: servedBy(entity),
    isDenied: deniedIn(entity),
  });
  return [
    builtIn(1, leads, 'Lead', newLead),
    builtIn(2, deals, 'Deal', newDeal),
    builtIn(3, contacts, 'Contact', {}),
    {
      entityTypeId: 1222,
      entity: locations,
      title: 'Locations',
      defaults: { CATEGORY_ID: 30, STAGE_ID: 'DT1222_30:NEW' },
      isSmartProcess: true,
      served: servedBy(locations),
      isDenied: deniedIn(locations),
    },
    {
      entityTypeId: 1224,
      entity: viewings,
      title: 'Viewings',
      defaults: { CATEGORY_ID: 31, STAGE_ID: 'DT1224_31:NEW' },
      isSmartProcess: true,
      served: servedBy(viewings),
      isDenied: deniedIn(viewings),
    },
    {
      entityTypeId: 1226,
      entity: listings,
      title: 'Listings',
      defaults: { CATEGORY_ID: 32, STAGE_ID: 'DT1226_32:NEW' },
      isSmartProcess: true,
      served: servedBy(listings),
      isDenied: deniedIn(listings),
    },
  ];
}

function smartProcesses(types: readonly ItemType[]) {
  return types
    .filter(({ isSmartProcess }) => isSmartProcess)
    .map(({ entityTypeId, title }, index) => ({
      id: 8 + index,
      title,
      code: '',
      createdBy: 1,
      entityTypeId,
      isCategoriesEnabled: 'N',
      isStagesEnabled: 'Y',
      isUseInUserfieldEnabled: 'Y',
    }));
}

/** Finds a field by its item name (title, ufCrm8PortalId) or, for a custom field, by its original name. */
function findField({ entity: { fields } }: ItemType, name: string): Field | undefined {
  const original = fields.byName.get(name);
  const field =
    fields.byItemName.get(name) ?? (original && (isCustom(original) || name === 'ID') ? original : undefined);
  return field?.type === 'crm_multifield' ? undefined : field;
}

function list(type: ItemType, parameters: Parameters) {
  const rejectField = (name: string): never => {
    throw new CrmError(400, 'INVALID_ARG_VALUE', `Invalid filter: field '${name}' is not allowed in filter`);
  };
  const filter = mapParameter(parameters, 'filter');
  if (!filter) throw new CrmError(400, 'INVALID_ARG_VALUE', 'Invalid filter: array is expected');
  const matches: Condition = conditionOf(filter, {
    findField: name => findField(type, name),
    unknown: rejectField,
    isItemList: true,
  });
  const orderField = (name: string): string => {
    const field = findField(type, name);
    if (field) return field.name;
    throw new CrmError(400, 'INVALID_ARG_VALUE', `Invalid order: field '${name}' is not allowed in order`);
  };
  const { rows, total, next } = pageOf(type.entity.rows.all(), matches, parameters, orderField);
  const select = Object.values(mapParameter(parameters, 'select') ?? {}).map(String);
  return { result: { items: rows.map(row => rendered(type, row, parameters, select)) }, total, next };
}

function rendered(
  { entityTypeId, entity, served }: ItemType,
  stored: Row,
  parameters: Parameters,
  select: readonly string[],
): Record<string, unknown> {
  const row = served(stored);
  const useOriginalNames = parameter(parameters, 'useOriginalUfNames') === 'Y';
  const everything = select.length === 0 || select.includes('*');
  const item: Record<string, unknown> = {};
  const channels: unknown[] = [];
  for (const field of entity.fields.all) {
    const value = row[field.name];
    if (field.type === 'crm_multifield') channels.push(...channelsOf(value));
    else if (everything || field.name === 'ID' || select.includes(field.itemName) || select.includes(field.name))
      item[useOriginalNames && isCustom(field) ? field.name : field.itemName] = itemValue(field, value);
  }
  if (everything) item.entityTypeId = entityTypeId;
  // The vendor omits the multifields when other fields are selected, also beside `*`.
  const isWhole = select.length === 0 || (select.length === 1 && select[0] === '*');
  if (isWhole && entity.fields.byName.has('PHONE')) item.fm = channels;
  return item;
}

function channelsOf(entries: unknown): unknown[] {
  if (!Array.isArray(entries)) return [];
  return entries.filter(isMap).map(({ ID, VALUE, VALUE_TYPE, TYPE_ID }) => ({
    id: Number(ID),
    typeId: TYPE_ID,
    valueType: VALUE_TYPE,
    value: VALUE,
  }));
}

function requestedRow({ entity, isDenied }: ItemType, { parameters }: MethodCall): Row {
  const row = entity.rows.get(idParameter(parameters, 'id') ?? 0);
  if (!row) throw new CrmError(400, 'NOT_FOUND', 'Item not found');
  if (isDenied(row)) throw new CrmError(400, 'ACCESS_DENIED', 'Access denied.');
  return row;
}

function changedBy(type: ItemType, row: Row, call: MethodCall): Row {
  const given =
    parameter(call.parameters, 'fields') === undefined ? undefined : mapParameter(call.parameters, 'fields');
  if (!given) throw new CrmError(400, 'INVALID_ARG_VALUE', "Parameter 'fields' is required and must be array");
  if ('id' in given && row === type.entity.rows.get(row.ID))
    throw new CrmError(400, '0', 'Setting value for Primary ID is not allowed, it is read-only field');
  const { fm, ...others } = given;
  const fields = Object.entries(others).flatMap(([name, value]) => {
    const field = findField(type, name);
    return field ? [{ field, value: itemInput(field, value) }] : [];
  });
  const onInvalid = ({ itemName }: { itemName: string }) => {
    throw new CrmError(400, 'CRM_FIELD_ERROR_VALUE_NOT_VALID', `Invalid value of the field "${itemName}"`);
  };
  return changedRow(type.entity, row, [...fields, ...multifieldsOf(type, fm)], { userId: call.userId, onInvalid });
}

const trueInputs: readonly unknown[] = [true, 'true', 'y', 'Y'];
/** Booleans are true for these values only; the vendor stores any other value as N. */
const itemInput = ({ type }: Field, value: unknown): unknown =>
  type === 'boolean' || type === 'char' ? trueInputs.includes(value) : value;

/** The vendor adds the values of `fm`, whatever their ids: it changes and removes none. */
function multifieldsOf({ entity: { fields } }: ItemType, fm: unknown) {
  const entries = Object.values(Object(fm)).filter(isMap);
  return fields.all
    .filter(({ type }) => type === 'crm_multifield')
    .map(field => ({
      field,
      value: entries
        .filter(({ typeId }) => typeId === field.name)
        .map(({ valueType, value }) => ({ VALUE: value, VALUE_TYPE: valueType })),
    }))
    .filter(({ value }) => value.length > 0);
}

const derivedNames: readonly string[] = ['DATE_MODIFY', 'UPDATED_TIME', 'MODIFY_BY_ID', 'UPDATED_BY'];
const isSame = (one: Row, other: Row): boolean =>
  Object.entries(other).every(
    ([name, value]) => derivedNames.includes(name) || JSON.stringify(value) === JSON.stringify(one[name]),
  );

function saved(type: ItemType, row: Row, call: MethodCall): Record<string, unknown> {
  type.entity.rows.put(row);
  return rendered(type, row, call.parameters, ['*']);
}

function describeFields({ entity }: ItemType, parameters: Parameters): Record<string, unknown> {
  const useOriginalNames = parameter(parameters, 'useOriginalUfNames') === 'Y';
  return Object.fromEntries(
    entity.fields.all.map(field => [
      useOriginalNames && isCustom(field) ? field.name : field.itemName,
      { ...describeField(field, labelOf(field)), upperName: field.name },
    ]),
  );
}
