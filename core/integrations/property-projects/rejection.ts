/** Converts rejections of the property-project system to faults of the input. */
import { ServiceError } from '../../runtime/errors.ts';
import type { RawAnswer } from '../kit/call.ts';
import type { VendorFault } from '../kit/fault.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import { RejectionBody, userFields } from './wire.ts';

/** The fault's message contains the rejected fields as JSON. */
export function readFault(answer: RawAnswer): VendorFault | undefined {
  if (![409, 413, 415, 422].includes(answer.status)) return undefined;
  const body = RejectionBody.safeParse(answer.json());
  if (!body.success) return undefined;
  const { code, fields } = body.data.error;
  return {
    verdict: 'rejected',
    ...(code !== undefined && { code }),
    ...(fields && { message: JSON.stringify(fields) }),
  };
}

/** @returns a ServiceError where the user's fields are at fault; else the same error */
export function asUserRejection(error: unknown): unknown {
  if (!(error instanceof UpstreamError)) return error;
  if (error.failure.status === 409)
    return new ServiceError('conflict', 'The property-project system already has a user with this e-mail.', {
      cause: error,
      faults: [{ pointer: '/email', detail: 'belongs to another user' }],
    });
  if (error.failure.status !== 422) return error;
  return new ServiceError('invalid-input', 'The property-project system rejected this user.', {
    cause: error,
    faults: faultsOf(error.failure.message),
  });
}

/** @returns a ServiceError where the image is at fault; else the same error */
export function asImageRejection(error: unknown): unknown {
  if (!(error instanceof UpstreamError) || ![413, 415, 422].includes(error.failure.status ?? 0)) return error;
  const tooLarge = error.failure.status === 413;
  return new ServiceError(
    'invalid-input',
    tooLarge
      ? 'The image is too large for the property-project system, even after it was reduced.'
      : 'The property-project system rejected this image.',
    { cause: error, faults: [{ pointer: '/file', detail: tooLarge ? 'is too large' : 'is rejected' }] },
  );
}

function faultsOf(fields: string | undefined) {
  const details: unknown = JSON.parse(fields ?? '{}');
  return Object.entries(details ?? {}).map(([field, detail]) => {
    const [ours] = Object.entries(userFields).find(([, name]) => name === field) ?? [];
    return { pointer: ours === undefined ? '' : `/${ours}`, detail: String(detail).slice(0, 300) };
  });
}
