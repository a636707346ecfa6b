/** Fault switches: how a system is told to fail at its next calls, and what each fault does to a call. */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

export const FaultOrder = z.strictObject({
  fault: z
    .enum(['slow', 'error-500', 'limit', 'malformed', 'html', 'drop-after-commit', 'unauthorized'])
    .describe(
      'What happens to the call. `malformed` and `drop-after-commit` let it run and spoil the answer, `slow` lets it run later; the others refuse it.',
    ),
  path: z
    .string()
    .optional()
    .describe(
      'Text that occurs in the path and query of the calls meant, such as `page=7`; all calls if absent.',
    ),
  method: z
    .enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    .optional()
    .describe('The HTTP method of the calls meant.'),
  times: z.int().min(1).max(1_000_000).default(1).describe('How many calls.'),
  skip: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(0)
    .describe('How many of the calls meant go well before the first fault.'),
  delayMs: z.int().min(1).max(600_000).default(5_000).describe('For `slow`: how much later the call runs.'),
});
export type FaultOrder = z.output<typeof FaultOrder>;
export type Fault = FaultOrder['fault'];

/** How a refusal looks in the vendor's own style. */
export interface FaultFace {
  status: number;
  headers?: Record<string, string>;
  /** Text as it stands, anything else as JSON. */
  body: unknown;
}
type FaceOf = FaultFace | ((request: FastifyRequest) => FaultFace);
export interface FaultFaces {
  'error-500': FaceOf;
  limit: FaceOf;
  unauthorized: FaceOf;
  /** A page of a proxy in front of the system; without it the usual 502. */
  html?: FaceOf;
}

export interface FaultSwitches {
  order(order: FaultOrder): void;
  /** The orders that are not used up. */
  pending(): readonly FaultOrder[];
  /** What is ordered for this call, which uses up one of its times. */
  take(method: string, pathAndQuery: string): FaultOrder | undefined;
  reset(): void;
}

export function createFaultSwitches(): FaultSwitches {
  let orders: FaultOrder[] = [];
  return {
    order: order => void orders.push({ ...order }),
    pending: () => orders,
    take(method, pathAndQuery) {
      const meant = orders.filter(order => isMeant(order, method, pathAndQuery));
      const ready = meant.find(order => order.skip === 0);
      for (const order of meant) if (order.skip > 0) order.skip -= 1;
      if (!ready) return undefined;
      ready.times -= 1;
      orders = orders.filter(order => order.times > 0);
      return { ...ready };
    },
    reset() {
      orders = [];
    },
  };
}

function isMeant(order: FaultOrder, method: string, pathAndQuery: string): boolean {
  return pathAndQuery.includes(order.path ?? '') && (order.method ?? method) === method;
}

/** Carries out what comes before the call runs: waits, or answers in the vendor's style. */
export async function faultBeforeCall(
  { fault, delayMs }: FaultOrder,
  faces: FaultFaces,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (fault === 'slow') await delay(delayMs, undefined, { ref: false });
  if (fault === 'slow' || fault === 'malformed' || fault === 'drop-after-commit') return;
  const of = faces[fault] ?? proxyPage;
  const { status, headers = {}, body } = typeof of === 'function' ? of(request) : of;
  await reply.code(status).headers(headers).send(body);
}

const proxyPage: FaultFace = {
  status: 502,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n',
};

/** Carries out what comes after the call ran, and gives what is sent of its answer. */
export function faultAfterCall({ fault }: FaultOrder, request: FastifyRequest, payload: unknown): unknown {
  if (fault === 'drop-after-commit') request.raw.socket.destroy();
  if (fault !== 'malformed') return payload;
  const whole = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.toString() : '{}';
  return whole.slice(0, Math.max(1, Math.floor(whole.length / 2)));
}
