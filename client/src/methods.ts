/** The operations of the API as methods: `client.<operation id>(input, options)`. */
import { downloadOf } from './download.ts';
import { UnexpectedAnswer } from './errors.ts';
import { jobEvents } from './job-events.ts';
import type { Methods } from './method-types.ts';
import { pagesOf } from './pages.ts';
import { problemOf } from './portal-problem.ts';
import { allRoutes, type Input, type Route, requestOf } from './route.ts';
import type { MethodOptions, Send, SendOptions } from './transport.ts';

export interface Server {
  baseUrl: string;
  send: Send;
}

interface MethodCall {
  route: Route;
  input: Input;
  options: MethodOptions;
}

export function methodsOf(server: Server): Methods;
/** The types of the methods are generated from the same document as the routes. */
export function methodsOf(server: Server): unknown {
  const groups: Record<string, Record<string, unknown>> = {};
  for (const route of allRoutes()) {
    const { group, name } = route;
    const members = groups[group] ?? {};
    groups[group] = members;
    members[name] = (input: Input = {}, options: MethodOptions = {}) => answerOf(server, { route, input, options });
  }
  return groups;
}

function answerOf(server: Server, call: MethodCall): unknown {
  const { words } = call.route;
  if (words.has('binary')) return fileOf(server, call);
  if (words.has('events')) return eventsOf(server, call);
  if (!words.has('page')) return jsonOf(server, call);
  const withCursor = (cursor?: string) => (cursor === undefined ? call : { ...call, input: { ...call.input, cursor } });
  return pagesOf(cursor => jsonOf(server, withCursor(cursor)));
}

/** @throws PortalProblem for a response with an error status */
export async function respond(
  server: Server,
  { route, input, options }: MethodCall,
  expects: SendOptions['expects'] = 'json',
): Promise<Response> {
  const { signal, timeoutMs, idempotencyKey, headers } = options;
  const { path, body } = requestOf(route, input);
  const request = new Request(server.baseUrl + path, {
    method: route.method,
    body: body ?? null,
    signal: signal ?? null,
  });
  if (typeof body === 'string') request.headers.set('content-type', 'application/json');
  for (const [name, value] of Object.entries(headers ?? {})) request.headers.set(name, value);
  if (route.words.has('key')) request.headers.set('idempotency-key', idempotencyKey ?? crypto.randomUUID());
  const response = await server.send(request, { expects, timeoutMs, isAnonymous: route.words.has('form') });
  if (response.ok) return response;
  throw await problemOf(response, route.id);
}

/** Undefined for an answer without content. @throws UnexpectedAnswer for a file or a page of a proxy */
async function jsonOf(server: Server, call: MethodCall): Promise<unknown> {
  const response = await respond(server, call);
  const text = await response.text();
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    const type = response.headers.get('content-type');
    throw new UnexpectedAnswer(`The answer of ${call.route.id} must be JSON; its content type is ${type}.`);
  }
}

async function fileOf(server: Server, call: MethodCall) {
  const { options } = call;
  const request = (headers: Record<string, string>) =>
    respond(server, { ...call, options: { ...options, headers: { ...options.headers, ...headers } } }, 'file');
  return downloadOf(await request({}), request, options.signal);
}

async function* eventsOf(server: Server, call: MethodCall) {
  const { body } = await respond(server, call, 'events');
  if (body !== null) yield* jobEvents(body, () => undefined);
}
