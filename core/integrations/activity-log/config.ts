/** Address, credentials and field names of the log store. */
import { z } from 'zod';
import { httpUrl } from '../../runtime/config.ts';

const fieldName = (preset: string) =>
  z
    .string()
    .regex(/^[\w@.-]+$/, 'must be the name of a field')
    .default(preset);

export const ActivityLogConfig = z.object({
  ACTIVITY_LOG_URL: httpUrl.optional().describe('The log store (OpenSearch or Elasticsearch); unset: not configured.'),
  ACTIVITY_LOG_USERNAME: z.string().default('').describe('Login at the log store; unset: API key or no credentials.'),
  ACTIVITY_LOG_PASSWORD: z.string().default('').describe('Password of that login.'),
  ACTIVITY_LOG_API_KEY: z
    .string()
    .default('')
    .describe('API key of the log store, as sent after the word ApiKey; takes precedence over a login.'),
  ACTIVITY_LOG_INDEX: z
    .string()
    .regex(/^[a-z0-9_.*,-]+$/, 'must be the name of an index or a pattern')
    .default('portal-activity')
    .describe('The index, alias or pattern that holds the portal’s activity.'),
  ACTIVITY_LOG_TIME_FIELD: fieldName('@timestamp').describe('Its field for the time of an activity.'),
  ACTIVITY_LOG_ID_FIELD: fieldName('event.id').describe(
    'Its keyword field with a unique value for each entry; it orders entries with the same time.',
  ),
  ACTIVITY_LOG_ACTION_FIELD: fieldName('event.action').describe('Its field for the action.'),
  ACTIVITY_LOG_LISTING_FIELD: fieldName('listing.reference').describe('Its field for the reference of the listing.'),
  ACTIVITY_LOG_CRM_ID_FIELD: fieldName('user.crm_id').describe('Its field for the CRM id of the person.'),
  ACTIVITY_LOG_EMAIL_FIELD: fieldName('user.email.keyword').describe('Its keyword field for the e-mail of the person.'),
  ACTIVITY_LOG_PHONE_FIELD: fieldName('user.phone.keyword').describe(
    'Its keyword field for the phone of the person, in E.164.',
  ),
});
export type ActivityLogConfig = z.infer<typeof ActivityLogConfig>;
