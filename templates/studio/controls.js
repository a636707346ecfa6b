/** The controls of the form: one for each kind of field, which shows a value and reports its edits. */
import { element, isObject } from './dom.js';
import { createThumbnails } from './thumbnails.js';
import { textOf } from './values.js';

/**
 * @typedef {import('./fields.js').Field} Field
 * @typedef {object} Control
 * @property {HTMLElement} shown
 * @property {HTMLElement} main gets the focus and the description
 * @property {(value: unknown) => void} show
 */

/**
 * @param {string} id
 * @param {Field} field
 * @param {(value: unknown) => void} report an edit; undefined: empty
 * @returns {Control}
 */
export function createControl(id, field, report) {
  if (field.kind === 'rows') return rowsControl(id, field, report);
  if (field.choices) return choiceControl(id, field.label, field.choices, report);
  const isList = field.kind === 'list';
  const attributes = {
    id,
    dir: isList || field.input ? 'ltr' : 'auto',
    autocomplete: 'off',
    spellcheck: isList ? 'false' : undefined,
  };
  const thumbnails = createThumbnails(field.label.replace(/s$/, ''), urls => {
    report(urls);
    show(urls);
  });
  const control =
    field.kind === 'text' || isList
      ? element('textarea', { ...attributes, rows: isList ? '4' : '6', wrap: isList ? 'off' : undefined })
      : element('input', { ...attributes, inputmode: field.input });
  control.addEventListener('input', () => {
    const lines = listOf(control.value);
    if (isList) thumbnails.show(lines ?? []);
    if (isList) report(lines);
    else report(control.value === '' ? undefined : control.value);
  });
  /** @param {unknown} value */
  function show(value) {
    const texts = Array.isArray(value) ? value.map(textOf) : [textOf(value)];
    if (control.value !== texts.join('\n')) control.value = texts.join('\n');
    if (isList) thumbnails.show(texts.filter(Boolean));
  }
  return { shown: isList ? element('div', {}, control, thumbnails.list) : control, main: control, show };
}

const other = '…';

/**
 * A list whose last choice is a free text.
 * @param {string} id
 * @param {string} label
 * @param {readonly string[]} choices
 * @param {(value: unknown) => void} report
 * @returns {Control}
 */
function choiceControl(id, label, choices, report) {
  const options = choices.map(text => new Option(text.charAt(0).toUpperCase() + text.slice(1), text));
  const select = element('select', { id }, new Option('', ''), ...options, new Option('Other…', other));
  const input = element('input', {
    'aria-label': `${label}, other text`,
    dir: 'auto',
    autocomplete: 'off',
    hidden: true,
  });
  select.addEventListener('change', () => {
    input.hidden = select.value !== other;
    input.value = '';
    report(input.hidden ? select.value || undefined : undefined);
    if (!input.hidden) input.focus();
  });
  input.addEventListener('input', () => report(input.value || undefined));
  return {
    shown: element('span', { class: 'rows' }, select, input),
    main: select,
    show(value) {
      const text = textOf(value);
      const known = choices.find(choice => choice.toLowerCase() === text.toLowerCase());
      select.value = known ?? (text === '' ? '' : other);
      input.hidden = select.value !== other;
      if (input.value !== text) input.value = text;
    },
  };
}

/** @param {string} text */
function listOf(text) {
  const lines = text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
  return lines.length > 0 ? lines : undefined;
}

const columns = /** @type {const} */ (['milestone', 'share', 'date']);

/**
 * @param {string} id
 * @param {Field} field
 * @param {(value: unknown) => void} report
 * @returns {Control}
 */
function rowsControl(id, { label }, report) {
  /** @type {Record<string, unknown>[]} */
  let rows = [];
  const body = element('div', { class: 'rows' });
  const add = element('button', { type: 'button', class: 'plain', id }, 'Add a row');
  /** @param {Record<string, unknown>[]} next */
  const change = next => report(next.length > 0 ? next : undefined);

  /** @param {Record<string, unknown>} row @param {number} index */
  function rowOf(row, index) {
    const inputs = columns.map(column => {
      const name = `${label}, row ${index + 1}: ${column}`;
      const input = element('input', { 'aria-label': name, placeholder: column, dir: 'auto', autocomplete: 'off' });
      input.value = textOf(row[column]);
      input.addEventListener('input', () => {
        rows = rows.map((each, at) => (at === index ? { ...each, [column]: input.value } : each));
        change(rows);
      });
      return input;
    });
    const remove = element('button', { type: 'button', class: 'plain', 'aria-label': `Remove row ${index + 1}` }, '×');
    remove.addEventListener('click', () => {
      change(rows.filter((_, at) => at !== index));
      add.focus();
    });
    return element('div', { class: 'row' }, ...inputs, remove);
  }

  add.addEventListener('click', () => {
    change([...rows, { milestone: '', share: '', date: '' }]);
    const last = body.lastElementChild?.querySelector('input');
    last?.focus();
  });
  return {
    shown: element('div', { role: 'group', 'aria-label': label }, body, add),
    main: add,
    show(value) {
      const next = Array.isArray(value) ? value.filter(isObject) : [];
      if (JSON.stringify(next) === JSON.stringify(rows)) return;
      rows = next;
      body.replaceChildren(...rows.map(rowOf));
    },
  };
}
