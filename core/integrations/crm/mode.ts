/** The CRM's mode: in simple mode there are no leads; a new lead becomes a deal at once and cannot be read as a lead. */
import { ServiceError } from '../../runtime/errors.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import type { CrmRest } from './rest.ts';
import { Id } from './wire/scalars.ts';

/** `crm.settings.mode.get`: 1 is the classic mode, 2 the simple one. */
export const simpleMode = 2;
export const modeMethod = 'crm.settings.mode.get';
export const noLeads =
  'The CRM is in simple mode, without leads: switch it to classic mode (CRM settings > Leads), which this service needs.';

export function openMode(rest: CrmRest) {
  let known: Promise<number | undefined> | undefined;

  async function read(): Promise<number | undefined> {
    try {
      return await rest.call({ class: 'read', method: modeMethod, answer: Id });
    } catch (error) {
      // Older accounts do not have the method, and a webhook may lack the right to it: leads are then tried.
      if (error instanceof UpstreamError && !error.transient) return undefined;
      known = undefined;
      throw error;
    }
  }

  return {
    /** Reads the mode once. @throws ServiceError system-not-configured in simple mode */
    async requireLeads(): Promise<void> {
      known ??= read();
      if ((await known) !== simpleMode) return;
      // The operator may switch the mode at any time.
      known = undefined;
      throw new ServiceError('system-not-configured', noLeads, { retryAfterSeconds: 3_600 });
    },
  };
}
