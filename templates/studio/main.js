/** The studio: the request as text is the only state; form, editor, preview, check and code follow it. */
import { openApi } from './api.js';
import { openChecks } from './checks.js';
import { byId, isObject, setText } from './dom.js';
import { loadDraft, saveDraft } from './draft.js';
import { openEditor } from './editor.js';
import { openForm } from './form.js';
import { openImport } from './import.js';
import { readJson } from './json-text.js';
import { openLogin } from './login.js';
import { openOptions } from './options.js';
import { openOutput } from './output.js';
import { listOf, withValue } from './values.js';

const base = document.body.dataset.base ?? '';
/** @param {string} url */
async function json(url) {
  const answer = await fetch(url);
  if (answer.ok) return await answer.json();
  throw new Error(`${url} answered with status ${answer.status}.`);
}
const [samples, vocabulary, document_] = await Promise.all(
  ['/studio/samples.json', '/studio/vocabulary.json', '/openapi.json'].map(url => json(base + url)),
).catch(error => {
  const message = byId('message', HTMLElement);
  message.hidden = false;
  setText(message, `The studio could not be loaded; reload the page. ${error.message}`);
  throw error;
});
const draft = loadDraft();
/** @param {unknown} body */
const stringify = body => JSON.stringify(body, null, 2);

/** The last request without a syntax error. @type {unknown} */
let body = {};
let index = draft.index;
const first = draft.text ?? stringify(samples['sale-villa']);
let read = readJson(first);

const api = openApi(base, brands => {
  login.show();
  options.showBrands(brands);
  update('login');
});
const login = openLogin(api, draft.login);
const editor = openEditor(byId('editor', HTMLElement), first, () => update('text'));
const members = document_.components.schemas.Listing.properties;
const imported = openImport({ order: Object.keys(members), vocabulary }, (list, request) => {
  index = 0;
  edited(withValue(request ?? body, 'list', list), '');
});
const form = openForm(byId('fields', HTMLElement), members, vocabulary, (path, edit) => {
  const list = listings();
  edited(
    withValue(
      body,
      'list',
      list.map((each, at) => (at === index ? edit(each) : each)),
    ),
    path && `${index}/${path}`,
  );
});
const options = openOptions((path, value) => edited(withValue(body, path, value), path));
const checks = openChecks(api, { form, editor, open: openPointer });
const output = openOutput(api, { warn: checks.addPrinted, textOf: editor.text });

const listings = () => listOf(body);

/** @param {unknown} next body @param {string} place where it was typed; empty: undone alone */
const edited = (next, place) => editor.replace(stringify(next), place !== '');

/** @param {'text' | 'listing' | 'login'} cause */
function update(cause) {
  if (cause === 'text') read = readJson(editor.text());
  const { fault } = read;
  if (!fault) body = read.value;
  const count = listings().length;
  index = Math.max(0, Math.min(index, count - 1));
  byId('editable', HTMLFieldSetElement).disabled = fault !== undefined;
  // Without controls to focus, the keyboard scrolls the form itself.
  byId('form-scroll', HTMLElement).tabIndex = fault ? 0 : -1;
  showListings(count, fault !== undefined);
  byId('fields', HTMLElement).hidden = count === 0;
  byId('no-listing', HTMLElement).hidden = count > 0;
  options.show(body);
  form.show(listings()[index]);
  checks.update(read, body, index);
  output.update(fault ? undefined : body, index);
  byId('undo', HTMLButtonElement).disabled = !editor.canUndo();
  byId('redo', HTMLButtonElement).disabled = !editor.canRedo();
  saveDraft({ text: editor.text(), index });
}

/** @param {number} count @param {boolean} isDisabled */
function showListings(count, isDisabled) {
  const select = byId('listing', HTMLSelectElement);
  const names = listings().map(
    (each, at) => `${at + 1} of ${count}: ${(isObject(each) && each.reference_number) || 'no reference'}`,
  );
  if (select.options.length !== count || names.some((name, at) => select.options[at]?.text !== name))
    select.replaceChildren(...names.map((name, at) => new Option(name, String(at))));
  select.selectedIndex = index;
  for (const id of ['duplicate', 'remove']) byId(id, HTMLButtonElement).disabled = isDisabled || count === 0;
  byId('add', HTMLButtonElement).disabled = isDisabled;
  select.disabled = isDisabled || count === 0;
}

/** Opens the place of a finding: its field, or its text in the editor. @param {string} pointer */
function openPointer(pointer) {
  const [, at, rest] = /^\/list\/(\d+)(.*)$/.exec(pointer) ?? [];
  if (at !== undefined && Number(at) !== index) {
    index = Number(at);
    update('listing');
  }
  showView('form');
  if (rest !== undefined ? form.focus(rest) : options.focus(pointer)) return;
  showView('code');
  output.showFormat('json');
  editor.select(read, pointer);
}

/** @param {string} view of narrow windows */
function showView(view) {
  document.body.dataset.view = view;
  for (const button of document.querySelectorAll('.views button'))
    button.setAttribute('aria-pressed', String(button.getAttribute('data-view') === view));
  if (view === 'preview') output.update(read.fault ? undefined : body, index);
}

/** @param {string} id @param {() => void} act */
const onClick = (id, act) => byId(id, HTMLButtonElement).addEventListener('click', act);

/** @param {unknown[]} list @param {number} at */
function changeList(list, at) {
  index = at;
  edited(withValue(body, 'list', list), '');
}

onClick('undo', editor.undo);
onClick('redo', editor.redo);
onClick('add', () => changeList([...listings(), {}], listings().length));
onClick('duplicate', () => changeList(listings().toSpliced(index, 0, listings()[index]), index + 1));
onClick('remove', () => changeList(listings().toSpliced(index, 1), index));
byId('listing', HTMLSelectElement).addEventListener('change', event => {
  if (event.target instanceof HTMLSelectElement) index = event.target.selectedIndex;
  update('listing');
});
for (const button of document.querySelectorAll('.views button'))
  button.addEventListener('click', () => showView(button.getAttribute('data-view') ?? 'form'));

/** Texts that are not of the request. @param {EventTarget | null} target */
const isApart = target => target instanceof Element && target.closest('dialog, #log-in') !== null;
document.addEventListener(
  'paste',
  event => {
    const { target } = event;
    if (!(target instanceof Element) || isApart(target)) return;
    const isWhole = target.closest('#editor') ? editor.isAllSelected() : !target.matches('input, textarea');
    if (imported.take(event.clipboardData?.getData('text/plain') ?? '', isWhole)) event.preventDefault();
  },
  { capture: true },
);

document.addEventListener('keydown', event => {
  const key = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || event.altKey || isApart(event.target) || (key !== 'z' && key !== 'y'))
    return;
  event.preventDefault();
  if (key === 'y' || event.shiftKey) editor.redo();
  else editor.undo();
});
// The browser's own undo, from its menus and gestures, does not know the changes of the form.
document.addEventListener('beforeinput', event => {
  if (event.defaultPrevented || isApart(event.target) || !/^history(Undo|Redo)$/.test(event.inputType)) return;
  event.preventDefault();
  if (event.inputType === 'historyUndo') editor.undo();
  else editor.redo();
});

const sample = byId('sample', HTMLSelectElement);
sample.append(
  ...Object.keys(samples).map(
    name => new Option(name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' '), name),
  ),
);
sample.addEventListener('change', () => {
  index = 0;
  if (sample.value !== '') edited(samples[sample.value], '');
  sample.value = '';
});

update('text');
await login.start();
if (api.user === undefined && matchMedia('(max-width: 1023px)').matches) showView('preview');
