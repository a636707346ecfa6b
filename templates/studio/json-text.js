/** Reads JSON text: its value, the place of each value, and the place of a syntax error. */
import { jsonLanguage } from '@codemirror/lang-json';

/** @typedef {import('@lezer/common').SyntaxNode} SyntaxNode */
/** @typedef {{ from: number, to: number }} Place in the text; of a member with its name */
/** @typedef {{ offset: number, line: number, column: number, message: string }} SyntaxFault line and column from 1 */
/** @typedef {{ text: string, value: unknown, tree: import('@lezer/common').Tree, fault: SyntaxFault | undefined }} Read value: undefined with a fault */

const valueNames = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null']);

/** @param {string} text @returns {Read} */
export function readJson(text) {
  const tree = jsonLanguage.parser.parse(text);
  try {
    return { text, tree, value: JSON.parse(text), fault: undefined };
  } catch (error) {
    return { text, tree, value: undefined, fault: faultOf(text, faultOffset(text, tree, String(error))) };
  }
}

/** @param {string} text @param {Read['tree']} tree @param {string} message of JSON.parse */
function faultOffset(text, tree, message) {
  /** @type {number[]} */
  const found = [];
  tree.iterate({ enter: ({ type, from }) => void (type.isError && found.push(from)) });
  const offset = found[0] ?? Number(/position (\d+)/.exec(message)?.[1] ?? 0);
  return offset + (/^\s*/.exec(text.slice(offset))?.[0].length ?? 0);
}

/** @param {string} text @param {number} offset @returns {SyntaxFault} */
function faultOf(text, offset) {
  const before = text.slice(0, offset);
  const [word] = /^\p{L}[\p{L}\p{N}_$]*/u.exec(text.slice(offset)) ?? [];
  let message = 'A comma, a colon or a bracket is missing or wrong here.';
  if (offset >= text.length) message = 'The text ends too early: a bracket or quote is not closed.';
  else if (/,\s*$/.test(before) && /[\]}]/.test(text[offset] ?? '')) message = 'Remove the comma before this.';
  else if (text[offset] === '"')
    message = 'A comma is missing before this text, or it has no closing quote, or a line break.';
  else if (word) message = `${word} needs double quotes.`;
  const line = before.split('\n');
  return { offset, message, line: line.length, column: [...(line.at(-1) ?? '')].length + 1 };
}

/**
 * @param {Read} read
 * @param {string} pointer
 * @returns {Place | undefined} of the value, or of the closest around it
 */
export function placeOf({ text, tree }, pointer) {
  /** @type {Place | undefined} */
  let place;
  let value = valuesIn(tree.topNode)[0];
  for (const name of ['', ...pointer.split('/').slice(1)]) {
    if (place && value) {
      const member = value.name === 'Object' ? memberOf(text, value, name) : undefined;
      const inner = value.name === 'Array' ? valuesIn(value)[Number(name)] : member && valuesIn(member)[0];
      if (!inner) return place;
      value = inner;
      place = member ?? inner;
    } else place = value;
  }
  return place && { from: place.from, to: place.to };
}

/** @param {SyntaxNode} node */
const childrenOf = node => {
  const found = [];
  for (let child = node.firstChild; child; child = child.nextSibling) found.push(child);
  return found;
};

/** @param {SyntaxNode} node */
const valuesIn = node => childrenOf(node).filter(({ name }) => valueNames.has(name));

/** JSON.parse takes the last of members with the same name. @param {string} text @param {SyntaxNode} object @param {string} token of a pointer */
function memberOf(text, object, token) {
  const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
  return childrenOf(object).findLast(({ firstChild }) => {
    return firstChild?.name === 'PropertyName' && JSON.parse(text.slice(firstChild.from, firstChild.to)) === name;
  });
}
