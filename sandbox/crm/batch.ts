/** Up to fifty commands in one call: run in order, each may use the results of those before it. */
import { CrmFault } from './crm-fault.ts';
import type { MethodCall } from './method.ts';
import { isMap, mapParameter, type Parameters, parameter, parsePhpQuery, phpMap } from './parameters.ts';
import { type RunMethod, refusalOf } from './run-method.ts';

const mostCommands = 50;
type Entries = [string, unknown][];

export function runBatch(run: RunMethod, { parameters, userId }: MethodCall): unknown {
  const commands = Object.entries(mapParameter(parameters, 'cmd') ?? {});
  if (commands.length > mostCommands)
    throw new CrmFault(400, 'ERROR_BATCH_LENGTH_EXCEEDED', 'Max batch length exceeded');
  const halts = ['1', 'true'].includes(String(parameter(parameters, 'halt')));
  const results: Entries = [];
  const errors: Entries = [];
  const totals: Entries = [];
  const nexts: Entries = [];
  const times: Entries = [];

  for (const [key, command] of commands) {
    try {
      const answer = runCommand(run, String(command), Object.fromEntries(results), userId);
      results.push([key, answer.result]);
      times.push([key, answer.time]);
      if (answer.total !== undefined) totals.push([key, answer.total]);
      if (answer.next !== undefined) nexts.push([key, answer.next]);
    } catch (error) {
      errors.push([key, refusalOf(error).body()]);
      if (halts) break;
    }
  }
  // A map without entries is PHP's empty array.
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
    throw new CrmFault(405, 'ERROR_BATCH_METHOD_NOT_ALLOWED', 'Method is not allowed for batch usage');
  const parameters = withReferences(parsePhpQuery(query.join('?')), results);
  return run(method, { parameters: isMap(parameters) ? parameters : {}, userId });
}

const reference = /\$result((?:\[[^\]]+\])+)/g;

/** `$result[deal][CONTACT_ID]` is what the command `deal` answered there; nothing if it answered nothing. */
function withReferences(value: unknown, results: Parameters): unknown {
  if (Array.isArray(value)) return value.map(inner => withReferences(inner, results));
  if (isMap(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, withReferences(inner, results)]),
    );
  if (typeof value !== 'string') return value;
  const [whole] = value.match(reference) ?? [];
  if (whole === value) return referred(whole, results) ?? '';
  return value.replace(reference, found => String(referred(found, results) ?? ''));
}

function referred(text: string, results: Parameters): unknown {
  return [...text.matchAll(/\[([^\]]+)\]/g)].reduce<unknown>(
    (within, [, key = '']) => (Array.isArray(within) || isMap(within) ? Reflect.get(within, key) : undefined),
    results,
  );
}
