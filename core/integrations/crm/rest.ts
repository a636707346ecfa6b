/** Calls of the CRM's methods, one by one or fifty in a request. */
import { z } from 'zod';
import type { CallClass } from '../kit/call.ts';
import type { SystemTools } from '../kit/context.ts';
import { type SystemName, UpstreamError } from '../kit/upstream-error.ts';
import type { CrmConfig } from './config.ts';
import { openOperatingTime } from './operating-time.ts';
import {
  BatchResult,
  commandText,
  envelope,
  operationTimeLimit,
  overload,
  type Parameters,
  readFault,
} from './wire/envelope.ts';

interface MethodCall<A extends z.ZodType> {
  class: CallClass;
  method: string;
  parameters?: Parameters;
  /** The `result` of the answer. */
  answer: A;
}

export interface Command {
  /** By which later commands of the batch may refer to its result: `$result[key][…]`. */
  key: string;
  method: string;
  parameters: Parameters;
  /** Its parameters refer to results of earlier commands; else `$result[` in them is somebody's text. */
  refersBack?: true;
}

export type CommandOutcome =
  | { result: unknown; total: number | undefined }
  | { error: { code: string; message: string } };

export interface CrmRest {
  call<A extends z.ZodType>(call: MethodCall<A>): Promise<z.output<A>>;
  /**
   * Up to 50 commands in their order, in one request; one that fails does not stop the others.
   * @returns an outcome for each command
   */
  batch(callClass: CallClass, commands: readonly Command[]): Promise<CommandOutcome[]>;
}

export const commandsABatch = 50;

/** The CRM cuts off a request after 60 s. */
const timeoutMs = 65_000;
/** Requests fewer than the CRM allows: they may arrive closer together than they were sent. */
const safetyMargin = 2;
const reserveForInteractive = 10;

export function openCrmRest(config: CrmConfig, system: SystemName, tools: SystemTools): CrmRest {
  const operating = openOperatingTime(system);
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

  /** A method we are shut out of is waited for; the CRM did not run the call. */
  async function whenOpen<T>(methods: ReadonlySet<string>, send: () => Promise<T>): Promise<T> {
    for (;;) {
      await operating.pass(methods);
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        const { code, retryAfterMs } = error.failure;
        if (code === overload) throw blocked(system, error);
        if (code !== operationTimeLimit) throw error;
        for (const method of methods) operating.shutOut(method, retryAfterMs);
      }
    }
  }

  async function call<A extends z.ZodType>({
    class: callClass,
    method,
    parameters = {},
    answer,
  }: MethodCall<A>) {
    const { result, time } = await whenOpen(new Set([method]), () =>
      http.call({
        class: callClass,
        method: 'POST',
        path: `/${method}`,
        json: parameters,
        answer: envelope(answer),
      }),
    );
    operating.note(method, time);
    return result;
  }

  async function inOneRequest(callClass: CallClass, commands: readonly Command[]): Promise<CommandOutcome[]> {
    if (commands.length === 0) return [];
    const cmd = Object.fromEntries(
      commands.map(({ key, method, parameters }) => [key, commandText(method, parameters)]),
    );
    const { result } = await whenOpen(new Set(commands.map(({ method }) => method)), () =>
      http.call({
        class: callClass,
        method: 'POST',
        path: '/batch',
        json: { halt: 0, cmd },
        answer: envelope(BatchResult),
      }),
    );
    return commands.map(({ key, method }) => {
      operating.note(method, result.result_time[key]);
      const error = result.result_error[key];
      if (!error) return { result: result.result[key], total: result.result_total[key] };
      if (error.error === operationTimeLimit) operating.shutOut(method, undefined);
      return { error: { code: String(error.error), message: error.error_description ?? '' } };
    });
  }

  async function byItself(callClass: CallClass, { method, parameters }: Command): Promise<CommandOutcome> {
    try {
      const result = await call({ class: callClass, method, parameters, answer: z.unknown() });
      return { result, total: undefined };
    } catch (error) {
      if (!(error instanceof UpstreamError) || error.passing || error.failure.status === undefined)
        throw error;
      const { code = '', message = '' } = error.failure;
      return { error: { code, message } };
    }
  }

  /** The CRM has no way to write `$result[` in a batch and not mean it: such a command goes by itself. */
  async function batch(callClass: CallClass, commands: readonly Command[]): Promise<CommandOutcome[]> {
    const isPlain = ({ parameters, refersBack }: Command) =>
      refersBack === true || !JSON.stringify(parameters).includes('$result[');
    const together = await inOneRequest(callClass, commands.filter(isPlain));
    const outcomes: CommandOutcome[] = [];
    for (const command of commands) {
      const outcome = isPlain(command) ? together.shift() : await byItself(callClass, command);
      if (outcome) outcomes.push(outcome);
    }
    return outcomes;
  }

  return { call, batch };
}

const blocked = ({ name, title }: SystemName, cause: UpstreamError): UpstreamError =>
  new UpstreamError(
    'upstream-unavailable',
    `${title} has blocked us for overloading it; its support must lift the block.`,
    { system: name, passing: false, mayHaveRun: false, code: overload, cause },
  );
