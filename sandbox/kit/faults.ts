/** Fault rules: which of the next calls of a system fail, and what each fault does to a call. */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

export const FaultRule = z.strictObject({
  fault: z
    .enum([
      'slow',
      'error-500',
      'limit',
      'malformed',
      'html',
      'html-200',
      'html-404',
      'redirect',
      'redirect-to-login',
      'drop-after-commit',
      'unauthorized',
      'command-error',
    ])
    .describe(
      'What happens to the call. `malformed` and `drop-after-commit` run it and damage the response, `slow` runs it after `delayMs`; `command-error` fails single commands of a batch; the others reject the call.',
    ),
  path: z
    .string()
    .optional()
    .describe('Text in the path and query of the matching calls, such as `page=7`; absent: all calls match.'),
  method: z
    .enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    .optional()
    .describe('HTTP method of the matching calls; absent: all methods match.'),
  times: z.int().min(1).max(1_000_000).default(1).describe('Number of matching calls that fail.'),
  skip: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(0)
    .describe('Number of matching calls that succeed before the first fault.'),
  delayMs: z
    .int()
    .min(1)
    .max(600_000)
    .default(5_000)
    .describe('Delay of a `slow` call, or time until a blocked command may run, in milliseconds.'),
  code: z.string().default('INTERNAL_SERVER_ERROR').describe('Error code of a `command-error`.'),
  executed: z.boolean().default(false).describe('Whether a `command-error` executes the command.'),
});
export type FaultRule = z.output<typeof FaultRule>;
export type Fault = FaultRule['fault'];

/** A vendor's error response. */
export interface FaultResponse {
  status: number;
  headers?: Record<string, string>;
  /** A string is sent unchanged, anything else as JSON. */
  body: unknown;
}
type ResponseSource = FaultResponse | ((request: FastifyRequest) => FaultResponse);
export interface FaultResponses {
  'error-500': ResponseSource;
  limit: ResponseSource;
  unauthorized: ResponseSource;
  /** The page of a proxy in front of the system; defaults to nginx's 502 page. */
  html?: ResponseSource;
}

export interface FaultRules {
  add(rule: FaultRule): void;
  /** Rules with calls left. */
  pending(): readonly FaultRule[];
  /** Returns the first due rule that matches the call and decrements its `times`. */
  take(method: string, pathAndQuery: string): FaultRule | undefined;
  /** The same for one command of a batch; its text is compared with `path`. */
  takeCommand(command: string): FaultRule | undefined;
  reset(): void;
}

export function createFaultRules(): FaultRules {
  let rules: FaultRule[] = [];

  function takeDue(matching: readonly FaultRule[]): FaultRule | undefined {
    const due = matching.find(rule => rule.skip === 0);
    for (const rule of matching) if (rule.skip > 0) rule.skip -= 1;
    if (!due) return undefined;
    due.times -= 1;
    rules = rules.filter(rule => rule.times > 0);
    return { ...due };
  }

  return {
    add: rule => void rules.push({ ...rule }),
    pending: () => rules,
    take: (method, pathAndQuery) =>
      takeDue(rules.filter(rule => !isForCommands(rule) && matches(rule, method, pathAndQuery))),
    takeCommand: command => takeDue(rules.filter(rule => isForCommands(rule) && command.includes(rule.path ?? ''))),
    reset() {
      rules = [];
    },
  };
}

const isForCommands = ({ fault }: FaultRule): boolean => fault === 'command-error';

function matches(rule: FaultRule, method: string, pathAndQuery: string): boolean {
  return pathAndQuery.includes(rule.path ?? '') && (rule.method ?? method) === method;
}

/** Delays the call (`slow`) or answers it with the vendor's error response. */
export async function applyFaultBeforeCall(
  { fault, delayMs }: FaultRule,
  responses: FaultResponses,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (fault === 'slow') await delay(delayMs, undefined, { ref: false });
  if (fault === 'slow' || fault === 'malformed' || fault === 'drop-after-commit' || fault === 'command-error') return;
  const source = sourceOf(fault, responses);
  const { status, headers = {}, body } = typeof source === 'function' ? source(request) : source;
  await reply.code(status).headers(headers).send(body);
}

type RejectingFault = Exclude<Fault, 'slow' | 'malformed' | 'drop-after-commit' | 'command-error'>;

function sourceOf(fault: RejectingFault, responses: FaultResponses): ResponseSource {
  if (fault === 'redirect' || fault === 'redirect-to-login') return redirects[fault];
  if (fault === 'html-200') return consolePage;
  return fault === 'html-404' ? notFoundPage : (responses[fault] ?? proxyPage);
}

/** A page of nginx. */
const page = (status: number, title: string): FaultResponse => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<html>\r\n<head><title>${status} ${title}</title></head>\r\n<body>\r\n<center><h1>${status} ${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`,
});
const proxyPage = page(502, 'Bad Gateway');
const notFoundPage = page(404, 'Not Found');
/** The page of a console whose API has another base path. */
const consolePage = page(200, 'Console');
/** A renamed account, and a session that ended. */
const redirects = {
  redirect: { ...page(302, 'Found'), headers: { location: 'https://renamed.example/rest/1/secret/' } },
  'redirect-to-login': {
    ...page(302, 'Found'),
    headers: { location: '/login/?back=%2F', 'content-type': 'text/html' },
  },
};

/** Cuts the connection or the response body after the call ran; returns the body to send. */
export function applyFaultAfterCall({ fault }: FaultRule, request: FastifyRequest, payload: unknown): unknown {
  if (fault === 'drop-after-commit') request.raw.socket.destroy();
  if (fault !== 'malformed') return payload;
  const whole = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.toString() : '{}';
  return whole.slice(0, Math.max(1, Math.floor(whole.length / 2)));
}
