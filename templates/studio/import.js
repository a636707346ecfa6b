/** The dialog that loads listings from pasted text or a file, with the field of each column. */
import { isKnownColumn, listingsOf, proposedPaths, rememberPaths } from './columns.js';
import { byId, counted, element, isObject, setText } from './dom.js';
import { fields } from './fields.js';
import { readRecords, recordsIn } from './records.js';

/** @typedef {import('./records.js').Records} Records */

/**
 * @param {{ order: readonly string[], vocabulary: Record<string, string[]> }} known the members of a listing, and the terms
 * @param {(list: unknown[], request?: Record<string, unknown>) => void} onLoad request: that has the listings
 */
export function openImport({ order, vocabulary }, onLoad) {
  const dialog = byId('import', HTMLDialogElement);
  const area = byId('import-text', HTMLTextAreaElement);
  const load = byId('import-load', HTMLButtonElement);
  const table = byId('import-columns', HTMLTableElement);
  /** @type {unknown[]} */
  let listings = [];
  /** @type {Records | undefined} */
  let records;
  /** @type {Record<string, unknown> | undefined} */
  let request;

  const selects = () => [...table.querySelectorAll('select')];

  /** Objects with the names of this service need no mapping, and keep their other members. @param {string} text */
  function ownListings(text) {
    try {
      const value = JSON.parse(text);
      const items = recordsIn(value);
      const isOwn = (/** @type {Record<string, unknown>} */ item) =>
        Object.keys(item).filter(name => order.includes(name)).length > 2 &&
        Object.entries(item).every(([name, value]) => !isObject(value) || name === 'agent');
      request = isObject(value) && Array.isArray(value.list) ? value : undefined;
      return items.every(isOwn) ? items : [];
    } catch {
      return [];
    }
  }

  /** @param {string} [problem] */
  function showCount(problem = '') {
    setText(byId('import-problem', HTMLElement), problem);
    setText(load, listings.length > 0 ? `Load ${counted(listings.length, 'listing')}` : 'Load');
    load.disabled = listings.length === 0;
  }

  function read() {
    const text = area.value;
    listings = ownListings(text);
    records = listings.length > 0 ? undefined : readRecords(text, isKnownColumn);
    table.hidden = records === undefined;
    table.tBodies[0]?.replaceChildren();
    if (records) showColumns(records);
    else showCount(text.trim() === '' || listings.length > 0 ? '' : problemOf(text));
  }

  /** @param {Records} found */
  function showColumns(found) {
    const proposed = proposedPaths(found, vocabulary);
    const rows = found.names.map((name, at) => {
      const options = Object.entries(fields).map(([path, { label }]) => new Option(groupLabel(path, label), path));
      const label = found.hasNames ? name : `Column ${name}`;
      const select = element('select', { 'aria-label': `Field of ${label}` }, new Option('Not used', ''), ...options);
      select.value = proposed[at] ?? '';
      select.addEventListener('change', apply);
      const first = found.rows.map(row => String(row[at] ?? '')).find(Boolean) ?? '';
      return element(
        'tr',
        {},
        element('th', { scope: 'row' }, label),
        element('td', { dir: 'auto' }, first),
        element('td', {}, select),
      );
    });
    table.tBodies[0]?.replaceChildren(...rows);
    apply();
  }

  function apply() {
    const chosen = selects().map(({ value }) => value);
    const isUsed = chosen.some(Boolean);
    listings = records && isUsed ? listingsOf(records, chosen, order).filter(each => Object.keys(each).length > 0) : [];
    showCount(isUsed ? '' : 'Choose the field of at least one column.');
  }

  /** @param {string} text */
  function open(text) {
    area.value = text;
    read();
    if (!dialog.open) dialog.showModal();
    (load.disabled ? area : load).focus();
  }

  /** @param {File} file */
  async function openFile(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    open(bytes[0] === 0x50 && bytes[1] === 0x4b ? '' : decoded(bytes));
    if (area.value === '')
      showCount(`${file.name} is empty, or a workbook of Excel: save its sheet as CSV, or copy its rows.`);
  }

  area.addEventListener('input', read);
  byId('import-file', HTMLInputElement).addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement && target.files?.[0]) void openFile(target.files[0]);
    if (target instanceof HTMLInputElement) target.value = '';
  });
  load.addEventListener('click', () => {
    if (records)
      rememberPaths(
        records,
        selects().map(({ value }) => value),
        vocabulary,
      );
    dialog.close();
    onLoad(listings, records ? undefined : request);
  });
  byId('open-import', HTMLButtonElement).addEventListener('click', () => open(''));
  document.addEventListener('dragover', event => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  document.addEventListener('drop', event => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    void openFile(file);
  });

  return {
    /**
     * @param {string} text pasted
     * @param {boolean} isWhole whether it replaces the whole request
     * @returns whether it is listings, which are loaded or shown in the dialog
     */
    take(text, isWhole) {
      const own = ownListings(text);
      if (own.length > 0 && (isWhole || text.trim().startsWith('['))) onLoad(own, request);
      else if (own.length > 0) return false;
      else {
        const found = readRecords(text, isKnownColumn);
        const known = found?.hasNames ? found.names.filter(isKnownColumn).length : text.split('\t').length - 2;
        if (known < 3) return false;
        open(text);
      }
      return true;
    },
  };
}

/** @param {string} path @param {string} label */
const groupLabel = (path, label) => (path.startsWith('agent/') ? `Agent: ${label.toLowerCase()}` : label);

/** @param {string} text */
const problemOf = text =>
  text.trim().startsWith('<')
    ? 'XML is not read: paste rows of a spreadsheet, CSV or JSON.'
    : 'This has no listings: paste rows of a spreadsheet, CSV, or JSON with objects.';

/** Spreadsheets save UTF-8, UTF-16 with a byte order mark, or the Western code page of Windows. @param {Uint8Array} bytes */
function decoded(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
