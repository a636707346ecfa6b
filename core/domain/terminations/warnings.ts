/** What a caller should know about a termination that nothing stands against. */
import type { Warning } from '../../jobs/record.ts';
import type { FoundAccount } from './find-account.ts';
import type { Person } from './person.ts';
import type { TerminationRequest } from './termination.ts';

export function personWarnings({ inCrm }: Person, { crmId }: Pick<TerminationRequest, 'crmId'>): Warning[] {
  const pointer = crmId === undefined ? '/email' : '/crmId';
  switch (inCrm) {
    case 'dismissed':
      return [];
    case 'active':
      return [{ pointer, code: 'active-in-crm', detail: 'The CRM still has this user as active.' }];
    case 'unknown':
      return [{ pointer, code: 'not-in-crm', detail: 'The CRM does not know this user.' }];
  }
}

/** @param title the system, such as `the identity directory` */
export function sameEmailWarnings(
  title: string,
  { id, alike }: Pick<FoundAccount, 'id' | 'alike'>,
): Warning[] {
  if (alike.length === 0) return [];
  const others = alike.join(', ');
  const detail = `In ${title} the CRM id tells that user ${id} is meant; ${others}, with the same e-mail, is left as it is.`;
  return [{ pointer: '', code: 'same-email', detail }];
}
