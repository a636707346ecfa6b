/** Requests that the service refuses or that their client gives up: they must leave nothing behind in its processes. */
import { randomUUID } from 'node:crypto';
import type { ClientCredentials } from './retrying-client.ts';

type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** The number of requests of each kind is larger than the growth that a soak run tolerates. */
const perKind = 60;

/** The variables with which the limits of these requests are reached. */
export const refusingEnv = { MAIL_RECIPIENTS_PER_CLIENT_DAY: '1', MAX_EVENT_STREAMS: '100' };

const json = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const landingPageLead = { name: 'Refused', phone: '+971501234501', consent: true, visitorAddress: '203.0.113.7' };
const wrongLogin = `Basic ${Buffer.from(`refused:${randomUUID()}`).toString('base64')}`;

const kinds: Record<string, (send: Send, jobId: string) => Promise<Response>> = {
  'too many enquiries of an address': send => send('/apps/crm/v1/leads/landing-page', json(landingPageLead)),
  'too many recipients of mails': send =>
    send(
      '/apps/portal/v1/pdf-new',
      json({
        list: [{ reference_number: 'R-1', title_en: 'Refused' }],
        deliver: { email: { to: ['a@buyers.example', 'b@buyers.example'] } },
      }),
    ),
  'invalid members': send => send('/apps/portal/v1/pdf', json({ list: [{ unknown: true }] })),
  'wrong credentials': send =>
    send('/oauth/token', {
      method: 'POST',
      headers: { authorization: wrongLogin },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    }),
  'a wrong token': send => send('/jobs', { headers: { authorization: 'Bearer none' } }),
  'a wrong login of an operator': send => send('/ops', { headers: { authorization: wrongLogin } }),
  'an unknown path': send => send('/none'),
  'an event stream that its client closes': async (send, jobId) => {
    const response = await send(`/jobs/${jobId}/events`);
    await response.body?.cancel();
    return response;
  },
  'a request that its client gives up': async (send, jobId) => {
    await send(`/jobs/${jobId}`, { signal: AbortSignal.timeout(1) }).catch(() => undefined);
    return Response.error();
  },
};

/** @returns the number of responses by kind and status */
export async function sendRefused(
  api: string,
  { id, secret }: ClientCredentials,
  jobId: string,
): Promise<Map<string, number>> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
  const issued: unknown = await (await fetch(`${api}/oauth/token`, { method: 'POST', body: form })).json();
  const token = typeof issued === 'object' && issued && 'access_token' in issued ? issued.access_token : '';
  const send: Send = (path, init = {}) =>
    fetch(api + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
  const counts = new Map<string, number>();
  await Promise.all(
    Object.entries(kinds).map(async ([kind, sendOne]) => {
      for (let count = 0; count < perKind; count += 1) {
        const response = await sendOne(send, jobId);
        if (!response.bodyUsed) await response.arrayBuffer();
        const what = `${response.status} ${kind}`;
        counts.set(what, (counts.get(what) ?? 0) + 1);
      }
    }),
  );
  return counts;
}
