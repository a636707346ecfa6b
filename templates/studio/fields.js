/** The fields of a listing in the form. Fields of the API document that are not named here are in the last group. */

/**
 * @typedef {object} Field
 * @property {string} label
 * @property {'line' | 'text' | 'list' | 'rows'} [kind] default: line; list: one address per line
 * @property {boolean} [wide] over both columns
 * @property {string[]} [choices] besides those of the vocabulary; other values are valid too
 * @property {'numeric' | 'decimal' | 'tel' | 'email' | 'url'} [input] keyboard of a phone
 */

/** @type {Record<string, Field>} by path in the listing, without the first slash */
export const fields = {
  title_en: { label: 'Headline', wide: true },
  title_ar: { label: 'Headline in Arabic', wide: true },
  reference_number: { label: 'Reference' },
  crm_id: { label: 'CRM id' },
  permit_number: { label: 'Permit number', input: 'numeric' },
  permit_url: { label: 'Official record of the permit', input: 'url', wide: true },
  permit_expires_at: { label: 'Permit valid until' },
  draft: { label: 'Draft for a permit application', choices: ['Yes', 'No'] },
  purpose: { label: 'Purpose' },
  property_type: { label: 'Property type' },
  completion_status: { label: 'Completion' },
  price: { label: 'Price, AED', input: 'decimal' },
  price_on_application: { label: 'Price on application', choices: ['Yes', 'No'] },
  rental_period: { label: 'Rental period' },
  cheques: { label: 'Cheques', input: 'numeric' },
  city: { label: 'City', choices: ['Dubai', 'Abu Dhabi', 'Sharjah', 'Ajman', 'Ras Al Khaimah'] },
  community: { label: 'Community' },
  sub_community: { label: 'Sub-community' },
  tower_name: { label: 'Tower' },
  property_name: { label: 'Property name' },
  geopoints: { label: 'Latitude, longitude' },
  bedroom: { label: 'Bedrooms' },
  bathroom: { label: 'Bathrooms', input: 'numeric' },
  size: { label: 'Size, sq ft', input: 'decimal' },
  plot_size: { label: 'Plot size, sq ft', input: 'decimal' },
  parking: { label: 'Parking', input: 'numeric' },
  furnished: { label: 'Furnished' },
  furnishing_type: { label: 'Furnishing' },
  property_condition: { label: 'Condition' },
  current_status: { label: 'Status' },
  views: { label: 'Views' },
  property_managed_by_us: { label: 'Managed by us', choices: ['Yes', 'No'] },
  description_en: { label: 'Description', kind: 'text', wide: true },
  description_ar: { label: 'Description in Arabic', kind: 'text', wide: true },
  amenities: { label: 'Amenities', kind: 'text', wide: true },
  photo: { label: 'Photos', kind: 'list', wide: true },
  floor_plans: { label: 'Floor plans', kind: 'list', wide: true },
  tour_url: { label: 'Virtual tour', input: 'url', wide: true },
  video_url: { label: 'Video', input: 'url', wide: true },
  'agent/name': { label: 'Name' },
  'agent/phone': { label: 'Phone', input: 'tel' },
  'agent/email': { label: 'E-mail', input: 'email' },
  'agent/brn_number': { label: 'BRN', input: 'numeric' },
  'agent/photo': { label: 'Portrait', input: 'url', wide: true },
  developer: { label: 'Developer' },
  project_number: { label: 'Project number' },
  escrow_account: { label: 'Escrow account' },
  handover: { label: 'Handover' },
  service_charge: { label: 'Service charge' },
  payment_plan: { label: 'Payment plan', kind: 'rows', wide: true },
};

/** @type {readonly (readonly [title: string, paths: string])[]} */
export const groups = [
  ['Advert', 'title_en title_ar reference_number permit_number permit_url permit_expires_at draft crm_id'],
  ['Offer', 'purpose completion_status price price_on_application rental_period cheques'],
  ['Location', 'city community sub_community tower_name property_name geopoints'],
  [
    'Property',
    'property_type size plot_size bedroom bathroom parking furnished furnishing_type property_condition current_status views property_managed_by_us',
  ],
  ['Texts', 'description_en description_ar amenities'],
  ['Pictures', 'photo floor_plans tour_url video_url'],
  ['Agent', 'agent/name agent/phone agent/email agent/brn_number agent/photo'],
  ['Off-plan', 'developer project_number escrow_account handover service_charge payment_plan'],
];

/** "crm_id" → "Crm id". @param {string} name */
export const labelOf = name => {
  const words = (name.split('/').at(-1) ?? '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
