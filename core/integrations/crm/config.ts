/** Address and rate limits of the CRM, and what differs between CRM accounts. */
import { z } from 'zod';
import { httpUrl, wholeNumber } from '../../runtime/config.ts';

const idList = (preset: string) => {
  const error = 'must be whole numbers, comma-separated';
  return z
    .string()
    .regex(/^\d+(\s*,\s*\d+)*$/, error)
    .default(preset)
    .transform(text => text.split(',').map(Number));
};

const fieldName = (preset: string) =>
  z.string().regex(/^\w+$/, 'must be the name of a field').default(preset);

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
  CRM_PRIMARY_PIPELINES: idList('0').describe(
    'Ids of the deal pipelines for primary sales, comma-separated.',
  ),
  CRM_SECONDARY_PIPELINES: idList('1').describe(
    'Ids of the deal pipelines for secondary sales, comma-separated.',
  ),
  CRM_LOCATION_ENTITY_TYPE: wholeNumber(1, 100_000)
    .default(1222)
    .describe('entityTypeId of the smart process with the locations.'),
  CRM_LOCATION_TYPE_FIELD: fieldName('ufCrm8Type').describe('Its field for the level of a location.'),
  CRM_LOCATION_TYPES: z
    .string()
    .regex(/^[^,]+(,[^,]+){3}$/, 'must be four words, comma-separated')
    .default('CITY,COMMUNITY,SUBCOMMUNITY,TOWER')
    .describe('Its values for a city, a community, a sub-community and a property, in this order.'),
  CRM_LOCATION_PARENT_FIELD: fieldName('ufCrm8Parent').describe(
    'Its field for the id of the parent location.',
  ),
  CRM_LOCATION_PORTAL_ID_FIELD: fieldName('ufCrm8PortalId').describe(
    'Its field for the location’s id on the listing portal.',
  ),
  CRM_LOCATION_ARABIC_FIELD: fieldName('ufCrm8NameAr').describe('Its field for the Arabic name.'),
  CRM_LEAD_COUNTRY_FIELD: fieldName('UF_CRM_COUNTRY').describe(
    'The leads’ field for the country of the phone number.',
  ),
  CRM_LEAD_DNC_FIELD: fieldName('UF_CRM_DNC_STATUS').describe('The leads’ field for the do-not-call status.'),
  CRM_LEAD_LOCATIONS_FIELD: fieldName('UF_CRM_LOCATIONS').describe(
    'The leads’ field for the locations of interest.',
  ),
  CRM_LEAD_AGENT_FIELD: fieldName('UF_CRM_MATCHED_AGENT').describe(
    'The leads’ field for the matching agent.',
  ),
  CRM_LEAD_ACTIVITY_FIELD: fieldName('UF_CRM_ACTIVITY_SUMMARY').describe(
    'The leads’ field for the summary of their activity.',
  ),
  CRM_LEAD_CONSENT_FIELD: fieldName('UF_CRM_CONSENT').describe(
    'The leads’ field for the consent to marketing.',
  ),
  CRM_LEAD_PAGE_FIELD: fieldName('UF_CRM_PAGE_URL').describe(
    'The leads’ field for the URL of the page with the enquiry.',
  ),
});
export type CrmConfig = z.infer<typeof CrmConfig>;
