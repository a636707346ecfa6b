/**
 * The JSON editor: a textarea whose text is transparent, above the same text with colours and line numbers. Both wrap at the
 * same places because they have the same font and width.
 */
import { element } from './dom.js';
import { lineAt } from './json-text.js';

const tokens = /("(?:[^"\\]|\\.)*"?)(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

/**
 * @param {HTMLTextAreaElement} area
 * @param {HTMLElement} paper behind it
 * @param {(text: string) => void} onEdit
 */
export function openEditor(area, paper, onEdit) {
  /** @type {string[]} */
  let lines = [];

  function paint() {
    const next = area.value.split('\n');
    let same = 0;
    while (same < Math.min(lines.length, next.length) && lines[same] === next[same]) same++;
    let end = 0;
    const most = Math.min(lines.length, next.length) - same;
    while (end < most && lines[lines.length - 1 - end] === next[next.length - 1 - end]) end++;
    const removed = [...paper.children].slice(same, lines.length - end);
    const after = paper.children[lines.length - end] ?? null;
    for (const line of removed) line.remove();
    const added = document.createDocumentFragment();
    added.append(...next.slice(same, next.length - end).map(lineElement));
    paper.insertBefore(added, after);
    lines = next;
  }

  area.addEventListener('input', () => {
    paint();
    onEdit(area.value);
  });
  area.addEventListener('keydown', event => {
    // Tab leaves the editor, so that the keyboard can reach what follows.
    if (event.key !== 'Enter' || event.isComposing || event.ctrlKey || event.metaKey) return;
    const before = area.value.slice(0, area.selectionStart);
    const indent = /[^\n]*$/.exec(before)?.[0].match(/^ */)?.[0] ?? '';
    event.preventDefault();
    area.setRangeText(
      `\n${indent}${/[[{]\s*$/.test(before) ? '  ' : ''}`,
      area.selectionStart,
      area.selectionEnd,
      'end',
    );
    area.dispatchEvent(new InputEvent('input'));
    reveal(area.selectionStart);
  });

  /** @param {number} offset */
  function reveal(offset) {
    paper.children[lineAt(area.value, offset).line - 1]?.scrollIntoView({ block: 'nearest' });
  }

  return {
    /** @param {string} text the cursor moves to the end of what changed */
    show(text) {
      const old = area.value;
      if (old === text) return;
      let end = 0;
      while (end < Math.min(old.length, text.length) && old.at(-1 - end) === text.at(-1 - end)) end++;
      area.value = text;
      area.setSelectionRange(text.length - end, text.length - end);
      paint();
      if (document.activeElement === area) reveal(text.length - end);
    },
    /**
     * @param {ReadonlyMap<number, string>} marks class by line, from 1
     */
    mark(marks) {
      [...paper.children].forEach((line, index) => {
        const wanted = marks.get(index + 1) ?? '';
        if (line.className !== wanted) line.className = wanted;
      });
    },
    isAllSelected: () => area.selectionEnd - area.selectionStart >= area.value.trim().length,
    /** @param {number} start @param {number} end */
    select(start, end) {
      area.focus();
      area.setSelectionRange(start, end);
      reveal(start);
    },
  };
}

/** @param {string} line */
function lineElement(line) {
  const parts = [];
  let at = 0;
  for (const { 0: text, 1: string, 2: colon, index } of line.matchAll(tokens)) {
    parts.push(line.slice(at, index));
    const kind = string === undefined ? 'literal' : colon === undefined ? 'string' : 'name';
    parts.push(element('span', { class: kind }, string ?? text), colon ?? '');
    at = index + text.length;
  }
  // An empty line has no height.
  return element('div', {}, ...parts, line.slice(at) || (line === '' ? '\u200b' : ''));
}
