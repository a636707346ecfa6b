/** The CRM's methods for unit tests of its records: answers by method, and the calls that were sent. */
import type { CommandOutcome, CrmRest } from '../../core/integrations/crm/rest.ts';
import type { CallClass } from '../../core/integrations/kit/call.ts';
import { UpstreamError } from '../../core/integrations/kit/upstream-error.ts';

interface SentCall {
  class: CallClass;
  method: string;
  parameters: Readonly<Record<string, unknown>>;
  /** The commands of the batch; absent for a single call. */
  batch?: number;
}

/** A result; a rejection with the CRM's code and text; or a failure that the retries did not end. */
type MethodAnswer =
  | { result: unknown; total?: number }
  | { error: [code: string, text: string] }
  | { failure: UpstreamError };
type Method = (parameters: Readonly<Record<string, unknown>>) => MethodAnswer;

export function crmRest(methods: Readonly<Record<string, Method>>) {
  const sent: SentCall[] = [];
  const answer = (method: string, parameters: Readonly<Record<string, unknown>> = {}): MethodAnswer => {
    const known = methods[method];
    if (!known) throw new Error(`unexpected call of ${method}`);
    return known(parameters);
  };
  const rest: CrmRest = {
    async call({ class: callClass, method, parameters = {}, answer: schema }) {
      sent.push({ class: callClass, method, parameters });
      const given = answer(method, parameters);
      if ('failure' in given) throw given.failure;
      if ('error' in given) throw rejection(...given.error);
      return schema.parse(given.result);
    },
    async batch(callClass, commands) {
      return commands.map(({ method, parameters }): CommandOutcome => {
        sent.push({ class: callClass, method, parameters, batch: commands.length });
        const given = answer(method, parameters);
        if ('failure' in given) return given;
        if ('error' in given) return { error: { code: given.error[0], message: given.error[1] } };
        return { result: given.result, total: given.total };
      });
    },
  };
  return { rest, sent };
}

/** As the CRM rejects a single call; its older methods give no code. */
export const rejection = (code: string, message: string, status = 400): UpstreamError =>
  new UpstreamError('upstream-failed', 'The CRM rejected the call.', {
    kind: 'rejected',
    system: 'crm',
    status,
    message,
    ...(code !== '' && { code }),
  });
