import { expect, it } from 'vitest';
import { createPortalClient, jobOf } from '../../../client/src/index.ts';

const listing = { reference_number: 'R-1', title_en: 'Villa' };
const job = (state: string) => ({ id: 'pdf-preview_1', kind: 'pdf-preview', state });

/** @param answer the response to the request for the preview */
function clientOf(answer: () => Response) {
  const requests: string[] = [];
  const accepted: (string | null)[] = [];
  const fetch: typeof globalThis.fetch = async input => {
    const request = new Request(input);
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/token')) return Response.json({ access_token: 't', expires_in: 3_600 });
    requests.push(`${request.method} ${pathname}`);
    accepted.push(request.headers.get('accept'));
    if (pathname.endsWith('/preview')) return answer();
    if (pathname.endsWith('/events')) return new Response(null, { status: 204 });
    if (pathname.endsWith('/result')) return new Response('a page', { headers: { 'content-type': 'image/png' } });
    return Response.json(job('succeeded'));
  };
  const login = { baseUrl: 'http://portal.example/v2', clientId: 'c', clientSecret: 's' };
  return { client: createPortalClient({ ...login, fetch }), requests, accepted };
}

it('a preview is the body of the first response', async () => {
  const { client, requests } = clientOf(() => new Response('a page', { headers: { 'content-type': 'image/png' } }));
  const page = await client.preview(listing);
  expect(Buffer.from(await page.bytes()).toString()).toBe('a page');
  expect(requests).toEqual(['POST /v2/apps/portal/v1/pdf/preview']);
});

it('a preview is a PNG unless the format is another', async () => {
  const { client, accepted } = clientOf(() => new Response('a page'));
  await client.preview(listing);
  await client.preview(listing, { format: 'jpeg' });
  expect(accepted).toEqual(['image/png', 'image/jpeg']);
});

it('a preview that the service answers with a job is downloaded after the job has ended', async () => {
  const { client, requests } = clientOf(() => Response.json(job('queued'), { status: 202 }));
  const page = await client.preview(listing);
  expect(Buffer.from(await page.bytes()).toString()).toBe('a page');
  expect(requests.at(-1)).toBe('GET /v2/jobs/pdf-preview_1/result');
});

it('a preview of an invalid listing rejects with the problem', async () => {
  const fault = { pointer: '/list/0/price', detail: 'must be a number' };
  const problem = { type: 'x', title: 'Invalid input', status: 422, detail: 'One fault.', errors: [fault] };
  const { client } = clientOf(() => Response.json(problem, { status: 422 }));
  await expect(client.preview(listing)).rejects.toMatchObject({ name: 'PortalProblem', errors: [fault] });
});

it('a job of another kind than the expected is rejected', async () => {
  const answer = Promise.resolve({ data: job('queued'), response: new Response() });
  await expect(jobOf(answer, 'pdf')).rejects.toThrow('must be of the kind pdf; it is of the kind pdf-preview');
});
