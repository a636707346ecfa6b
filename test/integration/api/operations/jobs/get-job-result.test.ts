/** GET /jobs/{id}/result: a report as JSON, a file with ETag and ranges; 409 before the end, 410 after the expiry. */
import { beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../../core/runtime/errors.ts';
import { gate } from '../../../../support/gate.ts';
import { useTrials } from '../../../../support/use-trials.ts';

const { service, client, trials, start } = useTrials('job-result');
const content = Buffer.from('0123456789'.repeat(1_000));

beforeAll(async () => {
  trials.when('file', async ({ jobId }) => {
    const key = `trial/${jobId}.pdf`;
    const { size, sha256 } = await service.results.put(key, content, { contentType: 'application/pdf' });
    const file = { key, contentType: 'application/pdf', fileName: 'trial.pdf', bytes: size, sha256 };
    return { result: { said: 'a file' }, file };
  });
});

const finished = async (name: string) => (await client.waitForJob(await start(name))).id;
const result = (id: string, headers: Record<string, string> = {}) =>
  client.request('GET', `/jobs/${id}/result`, { headers });

describe('a report', () => {
  it('is sent as JSON', async () => {
    const { status, body } = await result(await finished('report'));
    expect(status).toBe(200);
    expect(body).toEqual({ said: 'report' });
  });

  it('returns 409 with Retry-After before the end of the job', async () => {
    const finish = gate();
    trials.when('unfinished', () => finish.opened.then(() => 'done'));
    const id = await start('unfinished');
    const { status, headers } = await result(id);
    expect(status).toBe(409);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    finish.open();
    await client.waitForJob(id);
    expect((await result(id)).status).toBe(200);
  });

  it('returns 409 without Retry-After for a failed job', async () => {
    trials.when('failed', async () => {
      throw new ServiceError('gone', 'There is nothing.');
    });
    const { status, headers } = await result(await finished('failed'));
    expect(status).toBe(409);
    expect(headers.get('retry-after')).toBeNull();
  });
});

describe('a file', () => {
  let id: string;
  let etag: string;
  beforeAll(async () => {
    id = await finished('file');
    etag = (await result(id)).headers.get('etag') ?? '';
  });

  it('is sent with its type, length, name and a strong ETag', async () => {
    const { status, headers, bytes } = await result(id);
    expect(status).toBe(200);
    expect(bytes.equals(content)).toBe(true);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': '10000',
      'content-disposition': 'attachment; filename="trial.pdf"',
      'accept-ranges': 'bytes',
    });
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
  });

  it('is described by the headers of HEAD', async () => {
    const { status, headers, bytes } = await client.request('HEAD', `/jobs/${id}/result`);
    expect(status).toBe(200);
    expect(headers.get('etag')).toBe(etag);
    expect(headers.get('content-length')).toBe('10000');
    expect(bytes).toHaveLength(0);
  });

  it.each([(tag: string) => tag, (tag: string) => `"other", ${tag}`, (tag: string) => `W/${tag}`, () => '*'])(
    'is not sent again when If-None-Match has its ETag (304)',
    async given => {
      const { status, headers, bytes } = await result(id, { 'if-none-match': given(etag) });
      expect(status).toBe(304);
      expect(headers.get('etag')).toBe(etag);
      expect(bytes).toHaveLength(0);
    },
  );

  it('is sent when If-None-Match has another ETag', async () =>
    expect((await result(id, { 'if-none-match': '"other"' })).status).toBe(200));

  it.each([
    ['bytes=0-9', 0, 9],
    ['bytes=9995-', 9_995, 9_999],
    ['bytes=-5', 9_995, 9_999],
    ['bytes=9990-20000', 9_990, 9_999],
    ['bytes=-20000', 0, 9_999],
  ])('is sent in part (206) for Range: %s', async (range, from, to) => {
    const { status, headers, bytes } = await result(id, { range });
    expect(status).toBe(206);
    expect(headers.get('content-range')).toBe(`bytes ${from}-${to}/10000`);
    expect(headers.get('content-length')).toBe(String(to - from + 1));
    expect(bytes.equals(content.subarray(from, to + 1))).toBe(true);
  });

  it.each(['bytes=10000-', 'bytes=99999-100000', 'bytes=-0'])('cannot satisfy Range: %s (416)', async range => {
    const { status, headers } = await result(id, { range });
    expect(status).toBe(416);
    expect(headers.get('content-range')).toBe('bytes */10000');
  });

  it.each(['bytes=5-1', 'pages=1-2', 'bytes=0-1,5-6', 'bytes=', 'nonsense'])(
    'is sent whole for an invalid or unsupported Range: %s',
    async range => {
      const { status, bytes } = await result(id, { range });
      expect(status).toBe(200);
      expect(bytes).toHaveLength(10_000);
    },
  );

  it('is sent in part only when If-Range has the same ETag', async () => {
    expect((await result(id, { range: 'bytes=0-9', 'if-range': etag })).status).toBe(206);
    expect((await result(id, { range: 'bytes=0-9', 'if-range': '"other"' })).status).toBe(200);
    // A weak tag does not promise the same bytes (RFC 9110 section 13.1.5).
    expect((await result(id, { range: 'bytes=0-9', 'if-range': `W/${etag}` })).status).toBe(200);
  });

  it('returns 410 after its deletion', async () => {
    const expired = await finished('file');
    await service.results.delete(`trial/${expired}.pdf`);
    const { status, body } = await result(expired);
    expect(status).toBe(410);
    expect(body).toMatchObject({ type: 'http://portal.example/v2/problems/gone' });
    expect((await result(expired, { 'if-none-match': etag })).status).toBe(410);
  });
});
