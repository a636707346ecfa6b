/** The `crm.item.*` methods: one set for every kind of record; numbers are sent as numbers, errors have codes. */
import type { CrmData, Entity } from '../crm-data.ts';
import { CrmError } from '../crm-error.ts';
import { describeField, type Field, isCustom, itemValue, labelOf, type Row } from '../fields.ts';
import { type Condition, conditionOf } from '../filter.ts';
import { pageOf } from '../list.ts';
import { messyRow } from '../messy-data.ts';
import type { MethodCall, Methods } from '../method.ts';
import { idParameter, isMap, mapParameter, type Parameters, parameter } from '../parameters.ts';
import { changedRow, type Defaults, newRow } from './change-row.ts';

interface ItemType {
  entityTypeId: number;
  entity: Entity;
  title: string;
  /** A smart process of this portal, not a built-in kind. */
  isSmartProcess: boolean;
  defaults: Defaults;
  /** The row as it is served. */
  served: (row: Row) => Row;
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
      return { result: { item: save(type, row, call) } };
    },
    'crm.item.update': call => {
      const type = typeOf(call);
      return { result: { item: save(type, requestedRow(type, call), call) } };
    },
    'crm.item.delete': call => {
      const type = typeOf(call);
      type.entity.rows.delete(requestedRow(type, call).ID);
      return { result: [] };
    },
    'crm.item.fields': call => ({ result: { fields: describeFields(typeOf(call)) } }),
    'crm.type.list': ({ userId }) => {
      if (userId !== administratorId) throw new CrmError(400, 'ACCESS_DENIED', 'Access denied');
      return { result: { types: smartProcesses([...types.values()]) }, total: 3 };
    },
  };
}

function itemTypes(data: CrmData, isMessy: () => boolean): ItemType[] {
  const { leads, deals, contacts, locations, viewings, listings } = data;
  const servedBy = (entity: Entity) => (row: Row) => (isMessy() ? messyRow(data, entity, row) : row);
  const builtIn = (entityTypeId: number, entity: Entity, title: string, defaults: Defaults): ItemType => ({
    entityTypeId,
    entity,
    title,
    defaults,
    isSmartProcess: false,
    served: servedBy(entity),
  });
  return [
    builtIn(1, leads, 'Lead', { STATUS_ID: 'NEW' }),
    builtIn(2, deals, 'Deal', { STAGE_ID: 'NEW', CATEGORY_ID: 0 }),
    builtIn(3, contacts, 'Contact', {}),
    {
      entityTypeId: 1222,
      entity: locations,
      title: 'Locations',
      defaults: { CATEGORY_ID: 30, STAGE_ID: 'DT1222_30:NEW' },
      isSmartProcess: true,
      served: servedBy(locations),
    },
    {
      entityTypeId: 1224,
      entity: viewings,
      title: 'Viewings',
      defaults: { CATEGORY_ID: 31, STAGE_ID: 'DT1224_31:NEW' },
      isSmartProcess: true,
      served: servedBy(viewings),
    },
    {
      entityTypeId: 1226,
      entity: listings,
      title: 'Listings',
      defaults: { CATEGORY_ID: 32, STAGE_ID: 'DT1226_32:NEW' },
      isSmartProcess: true,
      served: servedBy(listings),
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
  if (select.includes('*') && entity.fields.byName.has('PHONE')) item.fm = channels;
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

function requestedRow({ entity }: ItemType, { parameters }: MethodCall): Row {
  const row = entity.rows.get(idParameter(parameters, 'id') ?? 0);
  if (!row) throw new CrmError(400, 'NOT_FOUND', 'Item not found');
  return row;
}

function save(type: ItemType, row: Row, call: MethodCall): Record<string, unknown> {
  const given =
    parameter(call.parameters, 'fields') === undefined ? undefined : mapParameter(call.parameters, 'fields');
  if (!given) throw new CrmError(400, 'INVALID_ARG_VALUE', "Parameter 'fields' is required and must be array");
  const fields = Object.entries(given).flatMap(([name, value]) => {
    const field = findField(type, name);
    return field ? [{ field, value }] : [];
  });
  const changed = changedRow(type.entity, row, fields, call.userId, ({ itemName }) => {
    throw new CrmError(400, 'CRM_FIELD_ERROR_VALUE_NOT_VALID', `Invalid value of the field "${itemName}"`);
  });
  type.entity.rows.put(changed);
  return rendered(type, changed, call.parameters, ['*']);
}

const describeFields = ({ entity }: ItemType): Record<string, unknown> =>
  Object.fromEntries(
    entity.fields.all.map(field => [
      field.itemName,
      { ...describeField(field, labelOf(field)), upperName: field.name },
    ]),
  );
