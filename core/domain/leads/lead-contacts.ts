/** The leads whose phones and e-mails are being added to, as the effects ledger knows them. */
import type { RecordGroup } from '../../effects/record-locks.ts';

export const leadContacts = (leadIds: readonly number[]): RecordGroup => ({
  keys: [...new Set(leadIds)].map(id => `lead-contacts:${id}`),
  kind: 'lead-contacts',
  system: 'crm',
});
