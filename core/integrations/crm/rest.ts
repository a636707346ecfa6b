/** Calls of the CRM's methods, one by one or 50 in a request. */
import { z } from 'zod';
import { chunks } from '../../values/chunks.ts';
import type { CallClass } from '../kit/call.ts';
import type { SystemTools } from '../kit/context.ts';
import type { SystemHttp } from '../kit/http.ts';
import { type SystemName, UpstreamError } from '../kit/upstream-error.ts';
import { type Command, type CommandOutcome, type Outcomes, outcomeOfError, sendWithRetries } from './commands.ts';
import type { CrmConfig } from './config.ts';
import { type MethodQuota, openMethodQuota } from './method-quota.ts';
import {
  BatchResult,
  commandText,
  envelope,
  msUntilReset,
  operationTimeLimit,
  overload,
  type Parameters,
  readFault,
} from './wire/envelope.ts';

export type { Command, CommandOutcome } from './commands.ts';

interface MethodCall<A extends z.ZodType> {
  class: CallClass;
  method: string;
  parameters?: Parameters;
  /** Schema of the answer's `result`. */
  answer: A;
}

export type CrmRest = ReturnType<typeof openCrmRest>;

interface Connection {
  system: SystemName;
  http: SystemHttp;
  quota: MethodQuota;
}

export const maxBatchCommands = 50;

/** The CRM cuts off a request after 60 s. */
const timeoutMs = 65_000;
/** Fewer requests than the CRM allows: they may arrive closer together than they were sent. */
const safetyMargin = 2;
const reserveForInteractive = 10;

export function openCrmRest(config: CrmConfig, system: SystemName, tools: SystemTools) {
  const http = tools.http({
    baseUrl: config.CRM_URL ?? '',
    readFault,
    timeoutMs,
    budget: {
      name: system.name,
      capacity: config.CRM_REQUEST_BURST - safetyMargin,
      perSecond: config.CRM_REQUESTS_PER_SECOND,
      reserve: reserveForInteractive,
    },
  });
  const connection = { system, http, quota: openMethodQuota(system) };
  return {
    call: <A extends z.ZodType>(call: MethodCall<A>): Promise<z.output<A>> => callMethod(connection, call),
    /**
     * Up to 50 commands in order, in one request; a failed command does not stop the others, and is repeated after a
     * transient error, unless it is a create that may have been executed.
     * @returns an outcome for each command
     */
    batch: (callClass: CallClass, commands: readonly Command[]) => callBatch(connection, callClass, commands),
  };
}

/** Parts of a list for one batch each. */
export const batches = <T>(all: readonly T[]): Generator<T[]> => chunks(all, maxBatchCommands);

async function callMethod<A extends z.ZodType>(connection: Connection, call: MethodCall<A>): Promise<z.output<A>> {
  const { class: callClass, method, parameters = {}, answer } = call;
  const { result, time } = await withinQuota(connection, new Set([method]), () =>
    connection.http.call({
      class: callClass,
      method: 'POST',
      path: `/${method}`,
      json: parameters,
      answer: envelope(answer),
    }),
  );
  connection.quota.record(method, time);
  return result;
}

/** The CRM resolves references in any case and spacing; `JSON.stringify` escapes white space other than blanks. */
const reference = /\$(\s|\\[a-z])*result/i;

/** The CRM has no escape for `$result` in a batch: a command with it as text is sent alone. */
async function callBatch(
  connection: Connection,
  callClass: CallClass,
  commands: readonly Command[],
): Promise<CommandOutcome[]> {
  const isBatchable = ({ parameters, refersBack }: Command) =>
    refersBack === true || !reference.test(JSON.stringify(parameters));
  const outcomes = await sendWithRetries(callClass, commands.filter(isBatchable), some =>
    sendBatch(connection, callClass, some),
  );
  for (const command of commands.filter(command => !isBatchable(command)))
    outcomes.set(command.key, await sendAlone(connection, callClass, command));
  return commands.map(({ key }) => outcomes.get(key) ?? outcomeOfError(connection.system));
}

async function sendBatch(
  connection: Connection,
  callClass: CallClass,
  commands: readonly Command[],
): Promise<Outcomes> {
  if (commands.length === 0) return new Map();
  const { system, http, quota } = connection;
  const cmd = Object.fromEntries(commands.map(({ key, method, parameters }) => [key, commandText(method, parameters)]));
  const call = { class: callClass, method: 'POST', path: '/batch', json: { halt: 0, cmd } } as const;
  const { result } = await withinQuota(connection, new Set(commands.map(({ method }) => method)), () =>
    http.call({ ...call, answer: envelope(BatchResult) }),
  );
  const outcomes: Outcomes = new Map();
  for (const { key, method } of commands) {
    const time = result.result_time[key];
    quota.record(method, time);
    const error = result.result_error[key];
    if (error?.error === operationTimeLimit) quota.block(method, time && msUntilReset(time));
    const isDone = !error && key in result.result;
    const done = { result: result.result[key], total: result.result_total[key] };
    outcomes.set(key, isDone ? done : outcomeOfError(system, error));
  }
  return outcomes;
}

async function sendAlone(
  connection: Connection,
  callClass: CallClass,
  { method, parameters }: Command,
): Promise<CommandOutcome> {
  try {
    const call = { class: callClass, method, parameters, answer: z.unknown() };
    return { result: await callMethod(connection, call), total: undefined };
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const { code = '', message = '', status } = error.failure;
    // Other statuses concern our credentials, the method or the CRM, not this command.
    return status === 400 ? { error: { code, message } } : { failure: error };
  }
}

/** Waits while a method is blocked, and sends again after a block, in which the CRM did not execute the call. */
async function withinQuota<T>(
  { system, quota }: Connection,
  methods: ReadonlySet<string>,
  send: () => Promise<T>,
): Promise<T> {
  for (;;) {
    await quota.wait(methods);
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const { code, retryAfterMs } = error.failure;
      if (code === overload) throw blocked(system, error);
      if (code !== operationTimeLimit) throw error;
      for (const method of methods) quota.block(method, retryAfterMs);
    }
  }
}

const blocked = ({ name, title }: SystemName, cause: UpstreamError): UpstreamError =>
  new UpstreamError(
    'upstream-unavailable',
    `${title} has blocked us for overloading it; its support must remove the block.`,
    { kind: 'rejected', system: name, code: overload, cause },
  );
