/** Finds the field of a listing for each column that portals, CRMs and spreadsheets have, and remembers other choices. */
import { isObject } from './dom.js';
import { fields } from './fields.js';
import { textOf, valueAt, withValue } from './values.js';

/** @typedef {import('./records.js').Records} Records */

const storageKey = 'portal-service-studio-columns';

/** Words in names of columns that say nothing about the field. */
const noise = new Set(
  'property listing detail legal media info value en uf crm item of the no aed sq ft sqft is'.split(' '),
);

/** Other names of fields in portals' feeds and interfaces, in CRMs and in spreadsheets, without the words above. @type {Record<string, string>} */
const otherNames = {
  reference_number: 'ref|reference|ref number|ref id|refno',
  crm_id: 'id',
  permit_number: 'permit|rera permit|trakheesi permit|dld permit|trakheesi|compliance advertisement number',
  title_en: 'title|headline',
  description_en: 'description|web remark|remark',
  price: 'opportunity|asking price|selling price|rent|price amount sale|price amount yearly',
  purpose: 'offering type|offer type|ad type|transaction type|sale rent',
  property_type: 'type|type sub|unit type',
  completion_status: 'completion|project status|status completion|off plan|offplan',
  rental_period: 'rent frequency|frequency|price period|rent period',
  cheques: 'cheque|number cheque',
  city: 'emirate|uae emirate|city name|location city name',
  community: 'community name|location community name|locality|area name',
  sub_community: 'sub community name|location sub community name|sub locality|cluster name',
  tower_name: 'tower|building|building name',
  property_name: 'name|project|project name',
  geopoints:
    'lat|latitude|lng|lon|longitude|location coordinate lat|location coordinate lng|coordinate lat|coordinate lng|geopoint|coordinate',
  size: 'area|built up area|area built up|bua|unit size',
  plot_size: 'plot|plot area|area plot|land area',
  bedroom: 'bed|room|br|bedroom',
  bathroom: 'bath|bathroom',
  parking: 'parking space|parking bay|parking',
  furnished: 'furnishing|furnishing status',
  furnishing_type: 'furnishing type',
  views: 'view',
  amenities: 'amenity|feature|facility|private amenity',
  photo: 'photo|image|image url|photo url|picture|image original url',
  floor_plans: 'floor plan|floorplan|floor plan url',
  video_url: 'video|video tour|video tour url|video link',
  tour_url: 'view360|virtual tour|tour|360 tour|matterport',
  handover: 'handover date|completion date',
  developer: 'developer name|project developer name',
  'agent/name':
    'agent|agent name|broker|broker name|contact name|assigned to|assigned to name|responsible|responsible person',
  'agent/phone':
    'agent contact mobile|agent contact phone|contact phone|agent phone|agent mobile|broker phone|phone|mobile|agent phone number|agent mobile number',
  'agent/email': 'agent email|agent mail|broker email|email|agent e mail|e mail',
  'agent/photo': 'agent photo|agent image|agent profile image',
  'agent/brn_number': 'brn|agent brn|agent licence|agent license|broker brn',
};

/** "Property_Ref_No" → "ref"; "Images_2" → "image". @param {string} name */
function keyOf(name) {
  const words = name
    .normalize('NFKC')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  const singular = words.map(word =>
    word
      .replace(/ies$/, 'y')
      .replace(/^(photo|image)s?\d+$/, '$1')
      .replace(/^(\D{3,}?)s$/, '$1'),
  );
  const telling = singular.filter(word => word !== '' && !noise.has(word));
  return (telling.length > 1 ? telling.filter(word => !/^\d+$/.test(word)) : telling).join(' ');
}

/** @type {Map<string, string>} */
const paths = new Map();
for (const [path, { label }] of Object.entries(fields))
  for (const name of [path, label, ...(otherNames[path] ?? '').split('|')])
    if (!paths.has(keyOf(name))) paths.set(keyOf(name), path);
// A status is that of the advert in most feeds.
for (const name of ['', 'status']) paths.delete(keyOf(name));

/** @returns {Record<string, unknown>} */
function remembered() {
  try {
    const stored = JSON.parse(localStorage.getItem(storageKey) ?? '{}');
    return isObject(stored) ? stored : {};
  } catch {
    // Storage is switched off, or holds something else.
    return {};
  }
}

/** @param {string} name */
export const isKnownColumn = name => name.length < 60 && (paths.has(keyOf(name)) || keyOf(name) in remembered());

/** Rows without names are remembered by their number of columns. @param {Records} records @param {number} at */
const memoryKey = ({ names, hasNames }, at) =>
  hasNames ? keyOf(names[at] ?? '') : `${names.length} columns: ${at + 1}`;

/**
 * @param {Records} records
 * @param {Record<string, string[]>} vocabulary
 * @returns {string[]} the path of each column; '': none
 */
export function proposedPaths(records, vocabulary) {
  const stored = remembered();
  /** @type {Set<string>} */
  const taken = new Set();
  return records.names.map((name, at) => {
    const chosen = stored[memoryKey(records, at)];
    if (typeof chosen === 'string') return chosen;
    const texts = records.rows.map(row => String(row[at] ?? '').trim()).filter(Boolean);
    const path = records.hasNames ? (paths.get(keyOf(name)) ?? '') : guessed(texts, taken, vocabulary);
    if (taken.has(path) && !isList(path)) return '';
    taken.add(path);
    return path;
  });
}

/** @param {string} path */
const isList = path => fields[path]?.kind === 'list' || path === 'geopoints';

/**
 * The field of a column without a name, from its values.
 * @param {string[]} texts
 * @param {ReadonlySet<string>} taken
 * @param {Record<string, string[]>} vocabulary
 */
function guessed(texts, taken, vocabulary) {
  const free = (/** @type {string[]} */ ...candidates) => candidates.find(path => !taken.has(path)) ?? '';
  const all = (/** @type {(text: string) => boolean} */ test) => texts.length > 0 && texts.every(test);
  const number = (/** @type {string} */ text) => Number(text.replace(/[,\s]|AED/g, '') || Number.NaN);
  if (all(text => /^https?:/.test(text))) return 'photo';
  if (all(text => /^\S+@\S+\.\S+$/.test(text))) return 'agent/email';
  if (all(text => /^(\+|0)[\d ()-]{8,}$/.test(text))) return 'agent/phone';
  if (all(text => /^\d{10,11}$/.test(text))) return free('permit_number');
  if (all(text => number(text) >= 15_000)) return free('price');
  if (all(text => number(text) > 100)) return free('size', 'plot_size');
  if (all(text => number(text) < 30 || text === 'Studio')) return free('bedroom', 'bathroom', 'parking');
  const term = Object.keys(vocabulary).find(path =>
    all(text => vocabulary[path]?.some(each => each.toLowerCase() === text.toLowerCase()) ?? false),
  );
  if (term) return free(term);
  if (all(text => /^(?=\S*\d)[A-Z\d][\w/-]*$/i.test(text))) return free('reference_number');
  if (all(text => text.length > 150)) return free('description_en');
  return all(text => text.length > 20) ? free('title_en', 'description_en') : '';
}

/**
 * @param {Records} records
 * @param {readonly string[]} chosen the path of each column
 * @param {Record<string, string[]>} vocabulary
 */
export function rememberPaths(records, chosen, vocabulary) {
  const stored = remembered();
  const proposed = proposedPaths(records, vocabulary);
  const changed = chosen.flatMap((path, at) => (path === proposed[at] ? [] : [[memoryKey(records, at), path]]));
  try {
    localStorage.setItem(storageKey, JSON.stringify({ ...stored, ...Object.fromEntries(changed) }));
  } catch {
    // Storage is switched off or full: the choice is for this time only.
  }
}

/** @param {Records} records @param {readonly string[]} chosen @param {readonly string[]} order of a listing's members */
export const listingsOf = ({ rows }, chosen, order) =>
  rows.map(row =>
    chosen.reduce(
      (listing, path, at) => {
        const value = path && cellValue(path, row[at]);
        if (!value) return listing;
        const old = valueAt(listing, path);
        if (old === undefined) return withValue(listing, path, value, order);
        if (path === 'geopoints') return withValue(listing, path, `${old},${value}`);
        return Array.isArray(old) ? withValue(listing, path, [...new Set([...old, ...value])]) : listing;
      },
      /** @type {Record<string, unknown>} */ ({}),
    ),
  );

/** @param {string} path @param {unknown} value of a cell @returns {unknown[] | string | undefined} undefined: empty */
function cellValue(path, value) {
  if (fields[path]?.kind === 'rows') return Array.isArray(value) ? value : undefined;
  const text = Array.isArray(value)
    ? value.map(textOf).join('\n')
    : value === false
      ? 'No'
      : value === true
        ? 'Yes'
        : textOf(value).trim();
  if (text === '') return undefined;
  if (fields[path]?.kind === 'list')
    return text
      .split(/[\s|;,]+(?=https?:)|\n/)
      .map(each => each.trim())
      .filter(Boolean);
  return path === 'amenities'
    ? text
        .split(/\s*[|;\n]\s*/)
        .filter(Boolean)
        .join(', ')
    : text;
}
