/** The findings of a check: errors of the request and the remarks of `validateOnly`, with the place of each. */
import { counted, element } from './dom.js';

/** @typedef {{ severity: 'error' | 'warning' | 'hint', code: string, pointer: string, detail: string }} Finding */

const marks = { error: '×', warning: '!', hint: 'i' };
const severities = /** @type {const} */ (['error', 'warning', 'hint']);

/** The name in "did you mean …?". @param {string} detail */
export const suggestionOf = detail => /did you mean ([^\s?]+)\?/.exec(detail)?.[1];

/** @param {Finding} finding @param {string} place before the text */
export const findingItem = (finding, place) => element('li', { class: finding.severity }, ...contentOf(finding, place));

/** @param {Finding} finding @param {string} place */
const contentOf = ({ severity, detail }, place) => [
  element('span', { class: 'mark', 'aria-hidden': 'true' }, marks[severity]),
  element('span', { class: 'spoken' }, `${severity}: `),
  place + detail,
];

/** Such as "1 error · 2 warnings". @param {readonly Finding[]} findings */
export const summaryOf = findings =>
  severities
    .map(severity => /** @type {const} */ ([findings.filter(each => each.severity === severity).length, severity]))
    .flatMap(([count, severity]) => (count > 0 ? [counted(count, severity)] : []))
    .join(' · ');

/**
 * One item for findings that differ in their listing or place only; its buttons lead to each.
 * @param {readonly Finding[]} findings
 * @param {(pointer: string) => void} open
 * @param {boolean} isOneListing
 */
export function findingGroups(findings, open, isOneListing) {
  /** @type {Map<string, Finding[]>} */
  const groups = new Map();
  for (const finding of [...findings].sort((one, other) => rankOf(one) - rankOf(other))) {
    const field = finding.pointer.replace(/\/\d+(?=\/|$)/g, '');
    const key = [finding.severity, finding.code || finding.detail, field].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()].map(group => {
    const [first, ...others] = group;
    const buttons = group.map(finding => buttonOf(finding, () => open(finding.pointer), isOneListing));
    if (!first || others.length === 0) return element('li', { class: first?.severity }, ...buttons);
    const field = first.pointer.split('/').findLast(name => !/^\d*$/.test(name)) ?? '';
    const text = others.every(({ detail }) => detail === first.detail) ? first.detail : `such as: ${first.detail}`;
    const summary = element('summary', {}, ...contentOf({ ...first, detail: text }, `${group.length} × ${field}: `));
    const places = element('ul', {}, ...buttons.map(button => element('li', { class: first.severity }, button)));
    return element('li', { class: first.severity }, element('details', {}, summary, places));
  });
}

/** @param {Finding} finding */
const rankOf = ({ severity }) => severities.indexOf(severity);

/** @param {Finding} finding @param {() => void} open @param {boolean} isOneListing */
function buttonOf(finding, open, isOneListing) {
  const place = placeOf(finding.pointer, isOneListing);
  const separator = /^\p{Ll}/u.test(finding.detail) ? ' ' : ': ';
  const button = element(
    'button',
    { type: 'button', class: 'finding' },
    ...contentOf(finding, place && place + separator),
  );
  button.addEventListener('click', open);
  return button;
}

/** "/list/1/photo/0" → "2, photo, 1". @param {string} pointer @param {boolean} isOneListing */
function placeOf(pointer, isOneListing) {
  const names = pointer.split('/').slice(pointer.startsWith('/list/') ? 2 : 1);
  const shown = isOneListing && pointer.startsWith('/list/') ? names.slice(1) : names;
  return shown.map(name => (/^\d+$/.test(name) ? Number(name) + 1 : name)).join(', ');
}

/** The findings of one listing, with pointers inside it. @param {readonly Finding[]} findings @param {number} index */
export const ofListing = (findings, index) =>
  findings
    .filter(({ pointer }) => pointer === `/list/${index}` || pointer.startsWith(`/list/${index}/`))
    .map(finding => ({ ...finding, pointer: finding.pointer.slice(`/list/${index}`.length) }));
