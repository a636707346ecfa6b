/**
 * The SMS gateway, modelled on public clients of e& Smart Messaging: a login, and one call for each message. The
 * operator's balance call and error codes are not public; those here are invented.
 */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Collection } from '../kit/collection.ts';

const Login = z.object({ username: z.literal('sandbox'), password: z.literal('sandbox') });

const Submission = z.object({
  desc: z.string().optional(),
  campaignName: z.string().optional(),
  msgCategory: z.string(),
  contentType: z.string(),
  senderAddr: z.string().regex(/^[A-Za-z0-9 -]{1,11}$/),
  dndCategory: z.string().optional(),
  priority: z.number(),
  clientTxnId: z.string().min(1),
  recipient: z.string().regex(/^[1-9]\d{7,14}$/),
  msg: z.string().min(1),
  dr: z.string().optional(),
});

interface GatewayContext {
  messages: Collection<Message>;
  settings: Readonly<{ balance: number; pricePerPart: number; tokenSeconds: number }>;
  onReset(callback: () => void): void;
}

export function addGateway(app: FastifyInstance, { messages, settings, onReset }: GatewayContext): void {
  const tokens = new Map<string, number>();
  onReset(() => tokens.clear());

  const isAuthorised = ({ headers }: FastifyRequest): boolean =>
    (tokens.get(headers.authorization?.replace(/^Bearer /, '') ?? '') ?? 0) > Date.now();
  const balance = (): number => settings.balance - messages.all().reduce((spent, message) => spent + message.cost, 0);
  const unauthorized = { code: 'AUTH-401', message: 'Invalid or expired token' };

  app.post('/login/user/', (request, reply) => {
    if (!Login.safeParse(request.body).success)
      return reply.code(401).send({ code: 'AUTH-401', message: 'Wrong username or password' });
    const token = randomUUID();
    tokens.set(token, Date.now() + settings.tokenSeconds * 1_000);
    return { token };
  });

  app.post('/campaigns/submissions/sms/nb', (request, reply) => {
    if (!isAuthorised(request)) return reply.code(401).send(unauthorized);
    const submission = Submission.safeParse(request.body);
    if (!submission.success)
      return reply.code(400).send({ code: 'VAL-400', message: z.prettifyError(submission.error) });
    const { msg, recipient, senderAddr, clientTxnId } = submission.data;
    const parts = partsOf(msg);
    const cost = Math.round(parts * settings.pricePerPart * 100) / 100;
    if (cost > balance()) return reply.code(402).send({ code: 'BAL-402', message: 'Insufficient balance' });
    const jobId = String(90_000_000 + messages.size + 1);
    messages.put({ jobId, clientTxnId, sender: senderAddr, recipient, text: msg, parts, cost });
    return { jobId, jobCost: cost, clientTxnId };
  });

  app.get('/account/balance', (request, reply) => {
    if (!isAuthorised(request)) return reply.code(401).send(unauthorized);
    return { balance: balance().toFixed(2), currency: 'AED' };
  });
}

/** Number of SMS parts: 160 or 153 GSM characters each, otherwise 70 or 67 UTF-16 units. An approximation. */
function partsOf(text: string): number {
  const [single, each] = /^[\n\r -~£¥èéùìòÇØøÅåÄÖÑÜäöñüà§¿¡]*$/.test(text) ? [160, 153] : [70, 67];
  return text.length <= single ? 1 : Math.ceil(text.length / each);
}

/** A stored text message. */
export interface Message {
  jobId: string;
  clientTxnId: string;
  sender: string;
  recipient: string;
  text: string;
  parts: number;
  cost: number;
}
