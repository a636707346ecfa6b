/** Reads pasted text or a file as records: JSON, CSV, or rows of a spreadsheet. */
import Papa from 'papaparse';
import { isObject } from './dom.js';

/** @typedef {{ names: string[], rows: unknown[][], hasNames: boolean }} Records names: of the columns; rows without names have numbers */

/** Members that contain the records in answers of portals and CRMs. */
const containers = ['list', 'results', 'result', 'items', 'hits', 'data', 'properties', 'listings'];

/**
 * @param {string} text
 * @param {(name: string) => boolean} isKnown whether a text is the name of a column
 * @returns {Records | undefined} undefined: neither JSON with objects nor a table
 */
export function readRecords(text, isKnown) {
  const content = text.replace(/^\uFEFF/, '').trim();
  const items = recordsIn(parsed(content));
  if (items.length > 0) return recordsOf(items.map(item => Object.fromEntries(leaves(item, ''))));
  if (/^[[{<]/.test(content)) return undefined;
  const [, delimiter = content.split('\n', 1)[0]?.includes('\t') ? '\t' : ''] = /^sep=(.)\r?\n/i.exec(content) ?? [];
  const { data } = Papa.parse(content.replace(/^sep=.\r?\n/i, ''), { skipEmptyLines: 'greedy', delimiter });
  const rows = data.map(row => (Array.isArray(row) ? row.map(String) : []));
  const width = Math.max(0, ...rows.map(row => row.length));
  if (width < 2) return undefined;
  const known = (/** @type {string[]} */ cells) => cells.filter(isKnown).length;
  // A record page of a CRM: one field per line.
  if (width === 2 && known(rows.map(([name = '']) => name)) > 2)
    return recordsOf([Object.fromEntries(rows.map(([name = '', value = '']) => [name.replace(/:$/, ''), value]))]);
  const [first = [], ...others] = rows;
  if (known(first) > 1) return { names: first, rows: others, hasNames: true };
  return { names: Array.from({ length: width }, (_, at) => String(at + 1)), rows, hasNames: false };
}

/** @param {string} text @returns {unknown} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {unknown} value of JSON @returns {Record<string, unknown>[]} */
export function recordsIn(value) {
  if (Array.isArray(value)) return value.filter(isObject);
  if (!isObject(value)) return [];
  const inner = containers.map(name => value[name]).find(each => Array.isArray(each) || isObject(each));
  if (inner) return recordsIn(inner);
  const members = Object.values(value);
  return members.length > 0 && members.every(isObject) ? members : [value];
}

/** @param {Record<string, unknown>[]} items @returns {Records} */
function recordsOf(items) {
  const names = [...new Set(items.flatMap(Object.keys))];
  return { names, rows: items.map(item => names.map(name => item[name])), hasNames: true };
}

/** The values inside an object by their path; of a list of objects the addresses in them. @param {unknown} value @param {string} path @returns {[string, unknown][]} */
function leaves(value, path) {
  if (isObject(value))
    return Object.entries(value).flatMap(([name, inner]) => leaves(inner, path && name ? `${path}.${name}` : name));
  if (!Array.isArray(value) || !value.every(isObject) || path === 'payment_plan') return [[path, value]];
  const address = (/** @type {unknown} */ item) =>
    leaves(item, '').find(([, text]) => /^https?:/.test(String(text)))?.[1];
  return [[path, value.map(address).filter(text => text !== undefined)]];
}
