/** The JSON editor: it owns the text of the request and its history. Its styles are in a shadow root, as the page's policy demands. */
import { defaultKeymap, history, isolateHistory, redo, redoDepth, undo, undoDepth } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { placeOf } from './json-text.js';

/** @typedef {import('./findings.js').Finding} Finding */

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--name)' },
  { tag: tags.string, color: 'var(--string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--literal)' },
]);

/** @param {string} severity */
const underlined = severity => ({
  backgroundImage: 'none',
  textDecoration: `underline ${severity === 'error' ? 'wavy' : 'dotted'} var(--${severity})`,
});

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { overflow: 'auto', font: 'inherit' },
  '.cm-content': { caretColor: 'var(--text)', padding: '0.6rem 0 3rem' },
  '.cm-gutters': { color: 'var(--quiet)', backgroundColor: 'transparent', border: '0' },
  '.cm-lintRange-error': underlined('error'),
  '.cm-lintRange-warning': underlined('warning'),
  '.cm-lintRange-hint': underlined('quiet'),
  '.cm-tooltip': { color: 'var(--text)', backgroundColor: 'var(--paper)', borderColor: 'var(--edge)' },
});

/**
 * @param {HTMLElement} host
 * @param {string} first
 * @param {() => void} onChange
 */
export function openEditor(host, first, onChange) {
  const root = host.attachShadow({ mode: 'open' });
  let text = first;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: first,
      extensions: [
        json(),
        lineNumbers(),
        history(),
        bracketMatching(),
        indentUnit.of('  '),
        EditorView.lineWrapping,
        syntaxHighlighting(colours),
        theme,
        // Tab leaves the editor, so that the keyboard can reach what follows.
        keymap.of([...defaultKeymap, ...lintKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': 'Request as JSON', tabindex: '0', dir: 'ltr' }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (!docChanged) return;
          text = state.doc.toString();
          onChange();
        }),
      ],
    }),
  });

  return {
    text: () => text,
    /** @param {string} next @param {boolean} isTyped undone together with what was typed at the same place just before */
    replace(next, isTyped) {
      if (next === text) return;
      const least = Math.min(text.length, next.length);
      let start = 0;
      while (start < least && text[start] === next[start]) start++;
      let end = 0;
      while (end < least - start && text.at(-1 - end) === next.at(-1 - end)) end++;
      view.dispatch({
        changes: { from: start, to: text.length - end, insert: next.slice(start, next.length - end) },
        userEvent: isTyped ? 'input.type' : 'input.replace',
        annotations: isTyped ? [] : [isolateHistory.of('full')],
      });
    },
    undo: () => undo(view),
    redo: () => redo(view),
    canUndo: () => undoDepth(view.state) > 0,
    canRedo: () => redoDepth(view.state) > 0,
    isAllSelected: () => view.state.selection.main.to - view.state.selection.main.from >= text.trim().length,
    /** @param {import('./json-text.js').Read} read @param {readonly Finding[]} findings */
    mark(read, findings) {
      const diagnostics = findings.map(({ pointer, severity, detail }) => {
        const { from, to } = placeOf(read, pointer) ?? { from: 0, to: 0 };
        return { from, to: Math.min(to, view.state.doc.lineAt(from).to), severity, message: detail };
      });
      const { fault } = read;
      if (fault) diagnostics.push({ from: fault.offset, to: fault.offset, severity: 'error', message: fault.message });
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    /** @param {import('./json-text.js').Read} read @param {string} pointer */
    select(read, pointer) {
      const { from: anchor, to: head } = placeOf(read, pointer) ?? { from: 0, to: 0 };
      view.dispatch({ selection: { anchor, head }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
      view.focus();
    },
  };
}
