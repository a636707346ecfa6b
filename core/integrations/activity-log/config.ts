/** Where the log store is, and what its fields are called. */
import { z } from 'zod';
import { httpAddress } from '../../runtime/config.ts';

const fieldName = (preset: string) =>
  z
    .string()
    .regex(/^[\w@.-]+$/, 'must be the name of a field')
    .default(preset);

export const ActivityLogConfig = z.object({
  ACTIVITY_LOG_URL: httpAddress
    .optional()
    .describe('The log store (OpenSearch or Elasticsearch); unset: not configured.'),
  ACTIVITY_LOG_USERNAME: z.string().default('').describe('Login at the log store; unset: by key, or none.'),
  ACTIVITY_LOG_PASSWORD: z.string().default('').describe('Password of that login.'),
  ACTIVITY_LOG_API_KEY: z
    .string()
    .default('')
    .describe('Key to the log store, as it goes after the word ApiKey; goes before a login.'),
  ACTIVITY_LOG_INDEX: z
    .string()
    .regex(/^[a-z0-9_.*,-]+$/, 'must be the name of an index, or a pattern')
    .default('portal-activity')
    .describe('The index, alias or pattern that holds the portal’s activity.'),
  ACTIVITY_LOG_TIME_FIELD: fieldName('@timestamp').describe('Its field for when something was done.'),
  ACTIVITY_LOG_ID_FIELD: fieldName('event.id').describe(
    'Its field for a keyword that no two entries share: it keeps pages apart.',
  ),
  ACTIVITY_LOG_ACTION_FIELD: fieldName('event.action').describe('Its field for what was done.'),
  ACTIVITY_LOG_LISTING_FIELD: fieldName('listing.reference').describe(
    'Its field for the reference of the listing it was done with.',
  ),
  ACTIVITY_LOG_CRM_ID_FIELD: fieldName('user.crm_id').describe('Its field for the CRM id of who did it.'),
  ACTIVITY_LOG_EMAIL_FIELD: fieldName('user.email.keyword').describe(
    'Its keyword field for the e-mail of who did it.',
  ),
  ACTIVITY_LOG_PHONE_FIELD: fieldName('user.phone.keyword').describe(
    'Its keyword field for the phone of who did it, in E.164.',
  ),
});
export type ActivityLogConfig = z.infer<typeof ActivityLogConfig>;
