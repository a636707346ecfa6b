/** What the property-project system refuses, told to the caller as faults of the input. */
import { ServiceError } from '../../runtime/errors.ts';
import type { RawAnswer } from '../kit/answer.ts';
import type { Fault } from '../kit/fault.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import { Refusal, userFields } from './wire.ts';

/** Code and sentence; which fields are meant is kept as JSON behind the sentence's place. */
export function readProjectsFault(answer: RawAnswer): Fault | undefined {
  if (![409, 413, 415, 422].includes(answer.status)) return undefined;
  const refusal = Refusal.safeParse(answer.json());
  if (!refusal.success) return undefined;
  const { code, fields } = refusal.data.error;
  return {
    verdict: 'refused',
    ...(code !== undefined && { code }),
    ...(fields && { message: JSON.stringify(fields) }),
  };
}

/** @returns an error of ours where the user's fields are at fault; else the error as it came */
export function asUserRefusal(error: unknown): unknown {
  if (!(error instanceof UpstreamError)) return error;
  if (error.failure.status === 409)
    return new ServiceError('conflict', 'The property-project system has a user with this e-mail already.', {
      cause: error,
      faults: [{ pointer: '/email', detail: 'belongs to another user' }],
    });
  if (error.failure.status !== 422) return error;
  return new ServiceError('invalid-input', 'The property-project system refuses this user.', {
    cause: error,
    faults: faultsOf(error.failure.message),
  });
}

function faultsOf(fields: string | undefined) {
  const told: unknown = JSON.parse(fields ?? '{}');
  return Object.entries(told ?? {}).map(([field, detail]) => {
    const [ours] = Object.entries(userFields).find(([, name]) => name === field) ?? [];
    return { pointer: ours === undefined ? '' : `/${ours}`, detail: String(detail).slice(0, 300) };
  });
}

/** @returns an error of ours where the image is at fault; else the error as it came */
export function asImageRefusal(error: unknown): unknown {
  if (!(error instanceof UpstreamError) || ![413, 415, 422].includes(error.failure.status ?? 0)) return error;
  const tooLarge = error.failure.status === 413;
  return new ServiceError(
    'invalid-input',
    tooLarge
      ? 'The image is too large for the property-project system, also after it was made smaller.'
      : 'The property-project system refuses this image.',
    { cause: error, faults: [{ pointer: '/file', detail: tooLarge ? 'is too large' : 'is refused' }] },
  );
}
