/** Address and rate limits of the CRM, and what differs between CRM accounts. */
import { z } from 'zod';
import { httpUrl, wholeNumber } from '../../runtime/config.ts';
import { ServiceError } from '../../runtime/errors.ts';

const idList = z
  .string()
  .regex(/^\d+(\s*,\s*\d+)*$/, 'must be whole numbers, comma-separated')
  .transform(text => text.split(',').map(Number))
  .optional();

const fieldName = z.string().regex(/^\w+$/, 'must be the name of a field').optional();

export const CrmConfig = z.object({
  CRM_URL: httpUrl
    .optional()
    .describe('The CRM (Bitrix24): URL of an incoming webhook, with its secret; unset: not configured.'),
  CRM_REQUESTS_PER_SECOND: wholeNumber(1, 100)
    .default(2)
    .describe('Requests a second that the CRM’s plan allows, for all processes together.'),
  CRM_REQUEST_BURST: wholeNumber(20, 10_000)
    .default(50)
    .describe('Requests that the CRM’s plan allows in a burst after a pause.'),
  CRM_PRIMARY_PIPELINES: idList.describe('Ids of the deal pipelines for primary sales, comma-separated.'),
  CRM_SECONDARY_PIPELINES: idList.describe('Ids of the deal pipelines for secondary sales, comma-separated.'),
  CRM_LOCATION_ENTITY_TYPE: wholeNumber(1, 100_000)
    .optional()
    .describe('entityTypeId of the smart process with the locations.'),
  CRM_LOCATION_TYPE_FIELD: fieldName.describe('Its field for the level of a location.'),
  CRM_LOCATION_TYPES: z
    .string()
    .regex(/^[^,]+(,[^,]+){3}$/, 'must be four words, comma-separated')
    .default('CITY,COMMUNITY,SUBCOMMUNITY,TOWER')
    .describe(
      'Its values for a city, a community, a sub-community and a property, in this order; ids for a field of the type list.',
    ),
  CRM_LOCATION_PARENT_FIELD: fieldName.describe('Its field for the id of the parent location.'),
  CRM_LOCATION_PORTAL_ID_FIELD: fieldName.describe('Its field for the location’s id on the listing portal.'),
  CRM_LOCATION_ARABIC_FIELD: fieldName.describe('Its field for the Arabic name.'),
  CRM_LISTING_ENTITY_TYPE: wholeNumber(1, 100_000)
    .optional()
    .describe(
      'entityTypeId of the smart process with the listings, or 2 for deals; unset: enquiries go to the portal’s agent.',
    ),
  CRM_LISTING_REFERENCE_FIELD: fieldName.describe(
    'Its field for the reference on the portals, such as ufCrm10Reference.',
  ),
  CRM_LEAD_COUNTRY_FIELD: fieldName.describe('The leads’ field for the country of the phone number.'),
  CRM_LEAD_DNC_FIELD: fieldName.describe('The leads’ field for the do-not-call status.'),
  CRM_LEAD_LOCATIONS_FIELD: fieldName.describe('The leads’ field for the locations of interest.'),
  CRM_LEAD_AGENT_FIELD: fieldName.describe('The leads’ field for the matching agent.'),
  CRM_LEAD_ACTIVITY_FIELD: fieldName.describe('The leads’ field for the summary of their activity.'),
  CRM_LEAD_CONSENT_FIELD: fieldName.describe('The leads’ field for the consent to marketing.'),
  CRM_LEAD_PAGE_FIELD: fieldName.describe('The leads’ field for the URL of the page with the enquiry.'),
});
export type CrmConfig = z.infer<typeof CrmConfig>;

/** Settings without a default, because each account has its own ids and names, by the records that need them. */
export const dealSettings = ['CRM_PRIMARY_PIPELINES', 'CRM_SECONDARY_PIPELINES'] as const;
export const locationSettings = [
  'CRM_LOCATION_ENTITY_TYPE',
  'CRM_LOCATION_TYPE_FIELD',
  'CRM_LOCATION_PARENT_FIELD',
  'CRM_LOCATION_PORTAL_ID_FIELD',
  'CRM_LOCATION_ARABIC_FIELD',
] as const;
export const leadSettings = [
  'CRM_LEAD_COUNTRY_FIELD',
  'CRM_LEAD_DNC_FIELD',
  'CRM_LEAD_LOCATIONS_FIELD',
  'CRM_LEAD_AGENT_FIELD',
  'CRM_LEAD_ACTIVITY_FIELD',
  'CRM_LEAD_CONSENT_FIELD',
  'CRM_LEAD_PAGE_FIELD',
] as const;

type With<K extends keyof CrmConfig> = CrmConfig & { [P in K]-?: NonNullable<CrmConfig[P]> };
export type DealConfig = With<(typeof dealSettings)[number]>;
export type LocationConfig = With<(typeof locationSettings)[number]>;
export type LeadConfig = With<(typeof leadSettings)[number]>;

/** @throws ServiceError `system-not-configured` with the settings that are not set */
export function requireSettings<K extends keyof CrmConfig>(config: CrmConfig, names: readonly K[]): With<K> {
  if (hasAll(config, names)) return config;
  const missing = names.filter(name => config[name] === undefined).join(', ');
  throw new ServiceError(
    'system-not-configured',
    `The CRM is not completely configured here: set ${missing} (npm run connect -- crm proposes values).`,
    { retryAfterSeconds: 3_600 },
  );
}

const hasAll = <K extends keyof CrmConfig>(config: CrmConfig, names: readonly K[]): config is With<K> =>
  names.every(name => config[name] !== undefined);
