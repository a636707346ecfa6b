/** Calls the simulated CRM over HTTP, for tests of the sandbox. */
import { z } from 'zod';

const CrmAnswer = z.looseObject({
  result: z.unknown().optional(),
  total: z.number().optional(),
  next: z.number().optional(),
  error: z.string().optional(),
  error_description: z.string().optional(),
  time: z
    .looseObject({ operating: z.number().optional(), operating_reset_at: z.number().optional() })
    .optional(),
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
