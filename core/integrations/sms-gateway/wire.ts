/**
 * The gateway's shapes, as public clients of e& Smart Messaging show them. The balance call and the error codes are
 * not public: `GET /account/balance` and 402 for a used-up balance are our assumption, to be checked with the operator.
 */
import { z } from 'zod';

export const Login = z.object({ token: z.string().min(1) });

/** A submission is known to have been taken by its cost. */
export const Submitted = z.object({
  jobId: z.union([z.string(), z.number()]).transform(String).optional(),
  jobCost: z.coerce.number(),
});

export const Balance = z.object({
  balance: z.union([z.string(), z.number()]).transform(value => Number(value).toFixed(2)),
  currency: z.string().length(3),
});

/** The values that public clients send; the operator does not document their meaning. */
export const submissionConstants = {
  msgCategory: '4.5',
  contentType: '3.2',
  dndCategory: 'campaign',
  priority: 1,
  dr: '1',
} as const;

/** `+971501234567` → `971501234567` */
export const toRecipient = (e164: string): string => e164.slice(1);
