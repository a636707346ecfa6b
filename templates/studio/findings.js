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
 * @param {readonly Finding[]} findings
 * @param {(pointer: string) => void} open
 * @param {boolean} isOneListing
 */
export function findingButtons(findings, open, isOneListing) {
  const sorted = [...findings].sort(
    (one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity),
  );
  return sorted.map(finding => {
    const place = placeOf(finding.pointer, isOneListing);
    const button = element(
      'button',
      { type: 'button', class: 'finding' },
      ...contentOf(finding, place && place + (/^\p{Ll}/u.test(finding.detail) ? ' ' : ': ')),
    );
    button.addEventListener('click', () => open(finding.pointer));
    return element('li', { class: finding.severity }, button);
  });
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
