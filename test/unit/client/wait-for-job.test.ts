/** Tests how the client resumes a job's event stream. */
import { expect, it, vi } from 'vitest';
import { createPortalClient, type Job } from '../../../client/src/index.ts';

const job = (state: Job['state'], percent: number) => ({ id: 'pdf_1', kind: 'pdf', state, progress: { percent } });

it('resumes a broken stream after the last received event, without gaps or repetitions', async () => {
  vi.useFakeTimers();
  const resumedAfter: (string | null)[] = [];
  const streams = [
    // The second event is cut in the middle of its line.
    [
      'retry: 2000\n\n',
      'id: 7\nda',
      'ta: ',
      JSON.stringify(job('queued', 0)),
      '\n\n: still here\n\nid: 8\ndata: {"id"',
    ],
    [
      `id: 8\r\ndata: ${JSON.stringify(job('running', 40))}\r\n\r\n`,
      `id: 9\ndata: ${JSON.stringify(job('succeeded', 100))}\n\n`,
    ],
  ];
  const states: Job['state'][] = ['running', 'succeeded'];
  const fetch: typeof globalThis.fetch = async input => {
    const request = new Request(input);
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/token')) return Response.json({ access_token: 't', expires_in: 3_600 });
    if (!pathname.endsWith('/events')) return Response.json(job(states.shift() ?? 'failed', 0));
    resumedAfter.push(request.headers.get('last-event-id'));
    return new Response(streamOf(streams.shift() ?? []));
  };
  const client = createPortalClient({
    baseUrl: 'http://portal.example/v2',
    clientId: 'c',
    clientSecret: 's',
    fetch,
  });
  const percents: (number | undefined)[] = [];
  const ended = client.waitForJob('pdf_1', { onProgress: ({ progress }) => percents.push(progress?.percent) });
  await vi.advanceTimersByTimeAsync(2_000);
  vi.useRealTimers();
  expect(await ended).toMatchObject({ state: 'succeeded' });
  expect(percents).toEqual([0, 40, 100]);
  expect(resumedAfter).toEqual([null, '7']);
});

function streamOf(parts: readonly string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(encoder.encode(part));
      controller.close();
    },
  });
}
