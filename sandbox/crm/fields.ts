/** Field types: legacy methods send every scalar as text; `crm.item` methods send numbers and use camel-case names. */

const fieldTypes = [
  'integer',
  'double',
  'money',
  'string',
  'char',
  'boolean',
  'datetime',
  'list',
  'crm_multifield',
] as const;
export type FieldType = (typeof fieldTypes)[number];

export interface Field {
  /** Name in legacy methods, such as ASSIGNED_BY_ID. */
  name: string;
  /** Name in `crm.item` methods, such as assignedById. */
  itemName: string;
  type: FieldType;
  readOnly: boolean;
}

export type RowValue = string | number | boolean | null | readonly unknown[];
/** Values by legacy field name, in their natural types; `char` is Y or N. */
export interface Row {
  ID: number;
  [name: string]: RowValue;
}

export interface FieldTable {
  all: readonly Field[];
  byName: ReadonlyMap<string, Field>;
  byItemName: ReadonlyMap<string, Field>;
}

/** @param lists names by type; `NAME!` is read-only, `NAME=itemName` sets the name in `crm.item` methods */
export function fieldTable(lists: Partial<Record<FieldType, string>>): FieldTable {
  const all = fieldTypes.flatMap(type =>
    (lists[type] ?? '')
      .split(/\s+/)
      .filter(Boolean)
      .map(text => fieldOf(text, type)),
  );
  return {
    all,
    byName: new Map(all.map(field => [field.name, field])),
    byItemName: new Map(all.map(field => [field.itemName, field])),
  };
}

function fieldOf(text: string, type: FieldType): Field {
  const readOnly = text.endsWith('!');
  const [name = '', itemName = toItemName(name)] = text.replace('!', '').split('=');
  return { name, itemName, type, readOnly };
}

/** UF_CRM_8_PORTAL_ID → ufCrm8PortalId; the underscore between two digits stays: UF_CRM_8_175 → ufCrm8_175. */
export function toItemName(name: string): string {
  return name
    .toLowerCase()
    .replace(/(\d)_(?=\d)/g, '$1\0')
    .replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase())
    .replaceAll('\0', '_');
}

export const isCustom = ({ name }: Field): boolean => name.startsWith('UF_');

/** The description in the answers of `crm.*.fields`; only custom fields have labels. @param title in these answers */
export function describeField(field: Field, title: string): Record<string, unknown> {
  const label = labelOf(field);
  return {
    type: field.type === 'money' ? 'double' : field.type,
    isRequired: false,
    isReadOnly: field.readOnly,
    isImmutable: false,
    isMultiple: field.type === 'crm_multifield' || field.type === 'list',
    isDynamic: isCustom(field),
    title,
    ...(isCustom(field) && { listLabel: label, formLabel: label, filterLabel: label }),
  };
}

/** UF_CRM_8_PORTAL_ID → Portal id. */
export function labelOf({ name }: Field): string {
  const words = name.replace(/^UF_(CRM_)?(\d+_)?/, '').replaceAll('_', ' ');
  return words.charAt(0) + words.slice(1).toLowerCase();
}

/** The value in a response of a legacy method. */
export function legacyValue({ type }: Field, value: RowValue | undefined): unknown {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value;
  if (type === 'boolean') return value ? '1' : '0';
  return type === 'money' ? Number(value).toFixed(2) : String(value);
}

/** The value in a response of a `crm.item` method: booleans are Y or N. */
export function itemValue({ type }: Field, value: RowValue | undefined): unknown {
  if (value === undefined) return null;
  return type === 'boolean' && value !== null ? (value ? 'Y' : 'N') : value;
}

const trueValues: readonly unknown[] = [true, 1, '1', 'Y', 'true'];

/** Converts a given value to the field's type; undefined if that is impossible. */
export function storedValue({ type }: Field, given: unknown): RowValue | undefined {
  if (given === null || given === '' || given === undefined) return type === 'string' ? '' : null;
  if (type === 'list' || type === 'crm_multifield') return Array.isArray(given) ? given : undefined;
  if (typeof given === 'object') return undefined;
  if (type === 'integer') return Number.isSafeInteger(Number(given)) ? Number(given) : undefined;
  if (type === 'double' || type === 'money') return Number.isFinite(Number(given)) ? Number(given) : undefined;
  if (type === 'boolean') return trueValues.includes(given);
  if (type === 'char') return given === true || given === 'Y' || given === 1 ? 'Y' : 'N';
  return String(given);
}
