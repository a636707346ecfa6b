/** Settings of the simulated CRM, and calls of it over HTTP. */
import { z } from 'zod';

/** The sandbox's values of the settings that have no default. */
export const crmSettings = {
  CRM_PRIMARY_PIPELINES: '0',
  CRM_SECONDARY_PIPELINES: '1',
  CRM_LOCATION_ENTITY_TYPE: '1222',
  CRM_LOCATION_TYPE_FIELD: 'ufCrm8Type',
  CRM_LOCATION_PARENT_FIELD: 'ufCrm8Parent',
  CRM_LOCATION_PORTAL_ID_FIELD: 'ufCrm8PortalId',
  CRM_LOCATION_ARABIC_FIELD: 'ufCrm8NameAr',
  CRM_LEAD_COUNTRY_FIELD: 'UF_CRM_COUNTRY',
  CRM_LEAD_DNC_FIELD: 'UF_CRM_DNC_STATUS',
  CRM_LEAD_LOCATIONS_FIELD: 'UF_CRM_LOCATIONS',
  CRM_LEAD_AGENT_FIELD: 'UF_CRM_MATCHED_AGENT',
  CRM_LEAD_ACTIVITY_FIELD: 'UF_CRM_ACTIVITY_SUMMARY',
  CRM_LEAD_CONSENT_FIELD: 'UF_CRM_CONSENT',
  CRM_LEAD_PAGE_FIELD: 'UF_CRM_PAGE_URL',
};

const CrmAnswer = z.looseObject({
  result: z.unknown().optional(),
  total: z.number().optional(),
  next: z.number().optional(),
  error: z.string().optional(),
  error_description: z.string().optional(),
  time: z.looseObject({ operating: z.number().optional(), operating_reset_at: z.number().optional() }).optional(),
});
export type CrmAnswer = z.output<typeof CrmAnswer> & { status: number };

/** @param body sent as JSON */
export async function callCrm(
  sandboxUrl: string,
  method: string,
  body: object = {},
  secret = 'sandbox',
): Promise<CrmAnswer> {
  const response = await fetch(`${sandboxUrl}/crm/rest/1/${secret}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { ...CrmAnswer.parse(await response.json()), status: response.status };
}
