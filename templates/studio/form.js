/** The form of one listing, with the findings of the check at their fields. */
import { createControl } from './controls.js';
import { element, isObject } from './dom.js';
import { fields, groups, labelOf } from './fields.js';
import { findingItem, suggestionOf } from './findings.js';
import { renamed, textOf, token, valueAt, withValue } from './values.js';

/**
 * @typedef {import('./findings.js').Finding} Finding
 * @typedef {import('./controls.js').Control} Control
 * @typedef {{ control: Control | undefined, findings: HTMLElement }} Slot
 * @typedef {(listing: unknown) => unknown} Edit
 */

/**
 * @param {HTMLElement} root
 * @param {Record<string, { description?: string, properties?: Record<string, { description?: string }>, anyOf?: object[] }>} schema of a listing's members
 * @param {Record<string, string[]>} vocabulary the terms of members
 * @param {(path: string, edit: Edit) => void} onEdit
 */
export function openForm(root, schema, vocabulary, onEdit) {
  /** @type {Map<string, Slot>} */
  const slots = new Map();
  const order = Object.keys(schema);
  const unknown = element(
    'fieldset',
    { class: 'group unknown', hidden: true },
    element('legend', {}, 'Unknown fields'),
  );
  let listing = /** @type {unknown} */ ({});
  /** The field whose edit is being shown: its control keeps what was typed. */
  let editing = '';

  /** @param {string} path */
  function fieldOf(path) {
    const known = fields[path] ?? { label: labelOf(path) };
    const field = vocabulary[path] ? { ...known, choices: vocabulary[path] } : known;
    const id = `field-${path.replace('/', '-')}`;
    const control = createControl(id, field, value => {
      editing = path;
      onEdit(path, current => withValue(current, path, value, order));
      editing = '';
    });
    const findings = element('ul', { class: 'findings', id: `${id}-findings` });
    const help = element('p', { class: 'help', id: `${id}-help` }, descriptionOf(schema, path));
    control.main.setAttribute('aria-describedby', `${id}-help ${id}-findings`);
    slots.set(path, { control, findings });
    const label =
      field.kind === 'rows'
        ? element('span', { class: 'label' }, field.label)
        : element('label', { for: id }, field.label);
    return element('div', { class: `field${field.wide ? ' wide' : ''}` }, label, control.shown, help, findings);
  }

  const named = groups.flatMap(([, paths]) => paths.split(' '));
  const others = order.filter(name => !named.some(path => path.split('/')[0] === name));
  const rest = others.length > 0 ? [/** @type {const} */ (['Other', others.join(' ')])] : [];
  for (const [title, paths] of [...groups, ...rest]) {
    const group = element('fieldset', { class: 'group' }, element('legend', {}, title));
    const findings = element('ul', { class: 'findings wide' });
    if (title === 'Agent') slots.set('agent', { control: undefined, findings });
    group.append(findings, ...paths.split(' ').map(fieldOf));
    root.append(group);
  }
  root.prepend(unknown);

  return {
    /** @param {unknown} next */
    show(next) {
      listing = next;
      for (const [path, { control }] of slots) if (path !== editing) control?.show(valueAt(listing, path));
    },
    /** @param {readonly Finding[]} found of this listing, with pointers inside it */
    showFindings(found) {
      const isUnknown = (/** @type {Finding} */ { pointer, code }) =>
        code === 'unknown-field' ||
        (isObject(listing) && valueAt(listing, pointer.slice(1)) !== undefined && !slotOf(slots, pointer));
      const paths = isObject(listing)
        ? Object.keys(listing).flatMap(name => (name in schema ? [] : token(name).slice(1)))
        : [];
      const rest = new Set([...paths, ...found.filter(isUnknown).map(({ pointer }) => pointer.slice(1))]);
      const present = [...rest].filter(path => valueAt(listing, path) !== undefined);
      showUnknown(unknown, present, found, listing, onEdit);
      const known = found.filter(finding => !rest.has(finding.pointer.slice(1)));
      for (const [path, { control, findings }] of slots) {
        const own = known.filter(({ pointer }) => slotOf(slots, pointer) === path);
        findings.replaceChildren(...own.map(finding => findingItem(finding, placeIn(finding.pointer, path))));
        control?.main.toggleAttribute('aria-invalid', false);
        if (own.some(({ severity }) => severity === 'error')) control?.main.setAttribute('aria-invalid', 'true');
      }
    },
    /** @param {string} pointer inside the listing @returns whether the form has it */
    focus(pointer) {
      const slot = slots.get(slotOf(slots, pointer) ?? '');
      const target = slot?.control?.main ?? slot?.findings.parentElement?.querySelector('input');
      target?.focus();
      target?.scrollIntoView({ block: 'center' });
      return target !== undefined && target !== null;
    },
  };
}

/**
 * The field that shows a pointer: itself or the closest around it.
 * @param {ReadonlyMap<string, Slot>} slots
 * @param {string} pointer
 */
function slotOf(slots, pointer) {
  const parts = pointer.split('/').slice(1);
  for (let length = parts.length; length > 0; length--) {
    const path = parts.slice(0, length).join('/');
    if (slots.has(path)) return path;
  }
  return undefined;
}

/** Such as "2: " for the second photo. @param {string} pointer @param {string} path */
function placeIn(pointer, path) {
  const [index, ...names] = pointer.slice(path.length + 2).split('/');
  if (index === undefined || index === '') return '';
  return /^\d+$/.test(index) ? `${[Number(index) + 1, ...names].join(', ')}: ` : `${index}: `;
}

/**
 * @param {Parameters<typeof openForm>[1]} schema
 * @param {string} path
 */
function descriptionOf(schema, path) {
  const [name = '', inner] = path.split('/');
  const member = schema[name];
  if (inner === undefined) return member?.description ?? '';
  const options = [member, ...(member?.anyOf ?? [])];
  for (const option of options) {
    const properties = option && 'properties' in option && isObject(option.properties) ? option.properties : {};
    const found = properties[inner];
    if (isObject(found) && typeof found.description === 'string') return found.description;
  }
  return '';
}

/**
 * Fields that the service ignores, with the closest known name.
 * @param {HTMLElement} group
 * @param {readonly string[]} paths
 * @param {readonly Finding[]} found
 * @param {unknown} listing
 * @param {(path: string, edit: Edit) => void} onEdit
 */
function showUnknown(group, paths, found, listing, onEdit) {
  group.hidden = paths.length === 0;
  const rows = paths.map(path => {
    const own = found.filter(({ pointer }) => pointer === `/${path}`);
    const suggestion = own.map(({ detail }) => suggestionOf(detail)).find(name => name !== undefined);
    const actions = element('p', { class: 'acts' });
    /** @param {string} text @param {Edit} edit */
    const addAction = (text, edit) => {
      const button = element('button', { type: 'button', class: 'plain' }, text);
      button.addEventListener('click', () => onEdit('', edit));
      actions.append(button);
    };
    if (suggestion !== undefined) addAction(`Rename to ${suggestion}`, current => renamed(current, path, suggestion));
    addAction('Remove', current => withValue(current, path, undefined));
    const value = valueAt(listing, path);
    const text = textOf(value) || JSON.stringify(value);
    const items = own.map(finding => findingItem(finding, ''));
    return element(
      'div',
      { class: 'field wide' },
      element('p', { dir: 'auto' }, element('code', {}, path), ` ${text}`),
      element('ul', { class: 'findings' }, ...items),
      actions,
    );
  });
  group.replaceChildren(element('legend', {}, 'Unknown fields'), ...rows);
}
