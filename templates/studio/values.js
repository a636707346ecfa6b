/** Reads and changes values at paths such as "agent/name"; the values themselves are never modified. */
import { isObject } from './dom.js';

/** The token of a JSON Pointer (RFC 6901). @param {string} name */
export const token = name => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** @param {string} path with escaped names, as in a JSON Pointer */
const namesOf = path => path.split('/').map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'));

/**
 * @param {unknown} value
 * @param {string} path
 */
export function valueAt(value, path) {
  let found = value;
  for (const name of namesOf(path)) {
    if (Array.isArray(found)) found = found[Number(name)];
    else found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

/** The listings of a request. @param {unknown} body @returns {unknown[]} */
export const listOf = body => (isObject(body) && Array.isArray(body.list) ? body.list : []);

/** As the service reads it: numbers and `true` as their text, null and `false` as empty. @param {unknown} value */
export const textOf = value =>
  typeof value === 'string' || typeof value === 'number' || value === true ? String(value) : '';

/**
 * @param {unknown} object
 * @param {string} path
 * @param {unknown} value undefined removes the member
 * @param {readonly string[]} order of members: a new one is placed after the closest before it
 * @returns {Record<string, unknown>}
 */
export function withValue(object, path, value, order = []) {
  const [name = ''] = namesOf(path);
  const rest = path.split('/').slice(1);
  const members = isObject(object) ? object : {};
  const inner = rest.length > 0 ? withValue(members[name], rest.join('/'), value) : value;
  const isEmpty = isObject(inner) && rest.length > 0 && Object.keys(inner).length === 0;
  if (inner === undefined || isEmpty)
    return Object.fromEntries(Object.entries(members).filter(([key]) => key !== name));
  if (Object.hasOwn(members, name)) return { ...members, [name]: inner };
  const before = order.slice(0, order.indexOf(name) + 1);
  const names = Object.keys(members);
  const place = Math.max(...before.map(key => names.indexOf(key)), order.includes(name) ? -1 : names.length - 1) + 1;
  const entries = Object.entries(members);
  return Object.fromEntries([...entries.slice(0, place), [name, inner], ...entries.slice(place)]);
}

/**
 * @param {unknown} object
 * @param {string} path
 * @param {string} name the new name of its last member, whose place stays
 */
export function renamed(object, path, name) {
  const parent = path.split('/').slice(0, -1).join('/');
  const old = namesOf(path).at(-1);
  const members = parent === '' ? object : valueAt(object, parent);
  const entries = Object.entries(isObject(members) ? members : {}).filter(([key]) => key !== name);
  const changed = Object.fromEntries(entries.map(([key, value]) => [key === old ? name : key, value]));
  return parent === '' ? changed : withValue(object, parent, changed);
}
