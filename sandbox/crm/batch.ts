/** The `batch` method: up to 50 commands in one call, run in order; each may refer to earlier results. */
import type { SandboxContext } from '../kit/sandbox-system.ts';
import { CrmError, commandError } from './crm-error.ts';
import { crmErrorOf, type MethodCall, type RunMethod } from './method.ts';
import { isMap, mapParameter, type Parameters, parameter, parsePhpQuery, phpMap } from './parameters.ts';

const maxCommands = 50;
type Entries = [string, unknown][];

type TakeFault = SandboxContext<unknown>['takeCommandFault'];

export function runBatch(run: RunMethod, { parameters, userId }: MethodCall, takeFault: TakeFault): unknown {
  const commands = Object.entries(mapParameter(parameters, 'cmd') ?? {});
  if (commands.length > maxCommands)
    throw new CrmError(400, 'ERROR_BATCH_LENGTH_EXCEEDED', 'Max batch length exceeded');
  const halts = ['1', 'true'].includes(String(parameter(parameters, 'halt')));
  const results: Entries = [];
  const errors: Entries = [];
  const totals: Entries = [];
  const nexts: Entries = [];
  const times: Entries = [];

  for (const [key, command] of commands) {
    try {
      const fault = takeFault(String(command));
      if (fault && !fault.executed) throw commandError(fault);
      const response = runCommand(run, String(command), Object.fromEntries(results), userId);
      if (fault) throw commandError(fault);
      results.push([key, response.result]);
      times.push([key, response.time]);
      if (response.total !== undefined) totals.push([key, response.total]);
      if (response.next !== undefined) nexts.push([key, response.next]);
    } catch (error) {
      const { time, ...body } = crmErrorOf(error).body();
      errors.push([key, body]);
      if (time) times.push([key, time]);
      if (halts) break;
    }
  }
  return {
    result: phpMap(results),
    result_error: phpMap(errors),
    result_total: phpMap(totals),
    result_next: phpMap(nexts),
    result_time: phpMap(times),
  };
}

function runCommand(run: RunMethod, command: string, results: Parameters, userId: number) {
  const [name = '', ...query] = command.split('?');
  const method = name.replace(/\.json$/, '').toLowerCase();
  if (method === 'batch')
    throw new CrmError(405, 'ERROR_BATCH_METHOD_NOT_ALLOWED', 'Method is not allowed for batch usage');
  const parameters = resolveReferences(parsePhpQuery(query.join('?')), results);
  return run(method, { parameters: isMap(parameters) ? parameters : {}, userId });
}

/** The vendor replaces references whatever their case and spacing. */
const reference = /\$\s*result\s*((?:\[[^\]]+\])+)/gi;

/** Replaces `$result[deal][CONTACT_ID]` by that value of the command `deal`, or by an empty string. */
function resolveReferences(value: unknown, results: Parameters): unknown {
  if (Array.isArray(value)) return value.map(inner => resolveReferences(inner, results));
  if (isMap(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolveReferences(inner, results)]));
  if (typeof value !== 'string') return value;
  const [whole] = value.match(reference) ?? [];
  if (whole === value) return resolveReference(whole, results) ?? '';
  return value.replace(reference, found => String(resolveReference(found, results) ?? ''));
}

function resolveReference(text: string, results: Parameters): unknown {
  return [...text.matchAll(/\[([^\]]+)\]/g)].reduce<unknown>(
    (value, [, key = '']) => (Array.isArray(value) || isMap(value) ? Reflect.get(value, key) : undefined),
    results,
  );
}
