/** What the account and the webhook allow: the permissions that calls need, and the mistakes that the CRM names by a code. */
import { z } from 'zod';
import { type CheckFinding, failure } from '../../runtime/finding.ts';
import { UpstreamError, type UpstreamFailure } from '../kit/upstream-error.ts';
import type { CrmRest } from './rest.ts';
import { accessDenied } from './wire/envelope.ts';

const needed = ['crm', 'user'];
const missingPermission = 'insufficient_scope';

/**
 * The method `scope` needs no permission itself.
 * @throws UpstreamError `insufficient_scope` with the permissions that the webhook lacks
 */
export async function requirePermissions(rest: CrmRest): Promise<void> {
  const granted = await rest.call({ class: 'read', method: 'scope', answer: z.array(z.string()) });
  const missing = needed.filter(permission => !granted.includes(permission));
  if (missing.length === 0) return;
  throw new UpstreamError('upstream-failed', lacks(missing), {
    system: 'crm',
    kind: 'rejected',
    code: missingPermission,
    message: lacks(missing),
  });
}

const lacks = (missing: readonly string[]): string =>
  `The webhook in CRM_URL lacks the permission ${missing.join(' and ')}.`;

/** Status and code as in the vendor's list of system errors (apidocs.bitrix24.com/error-codes.html). */
export function mistakeOf({ code, message = '', status }: UpstreamFailure): CheckFinding | undefined {
  switch (code) {
    case missingPermission: {
      const found = status === undefined ? message : lacks(needed);
      return failure(
        found.replace(/\.$/, ''),
        'tick crm and user in the settings of the webhook, as the employee who created it',
      );
    }
    case 'INVALID_CREDENTIALS':
    case 'expired_token':
      return failure(
        `the CRM has no active webhook with the user and secret in CRM_URL (${code}): it has expired, was deleted, or has another secret`,
        'create an incoming webhook without an expiration date, and set CRM_URL to its URL',
      );
    case accessDenied:
      // With another status, the code comes from one method and concerns its records.
      return status === 401
        ? failure(
            'the plan of the CRM account does not include REST (ACCESS_DENIED)',
            'book a paid plan with a Market subscription',
          )
        : undefined;
    default:
      return undefined;
  }
}
