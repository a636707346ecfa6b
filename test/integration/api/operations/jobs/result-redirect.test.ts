/** Result links with RESULT_REDIRECT: the bucket sends the file. */
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../../../../../core/runtime/config.ts';
import { StorageConfig } from '../../../../../core/storage/config.ts';
import { openStore } from '../../../../../core/storage/store.ts';
import { startS3Server } from '../../../../support/s3-server.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { useTrials } from '../../../../support/use-trials.ts';

const content = Buffer.from('%PDF of a villa');
const s3 = await startS3Server(join(temporaryFolder(), 's3'));
afterAll(s3.stop);
const { service, client, trials, start } = useTrials('result-redirect', () => ({
  env: {
    STORAGE_URL: `s3://${s3.bucket.bucket}/links?region=us-east-1&endpoint=${s3.bucket.endpoint}&pathStyle=true`,
    RESULT_REDIRECT: 'true',
  },
}));

async function linkTo(name: string): Promise<string> {
  trials.when(name, async () => {
    const { size: bytes, sha256 } = await service.results.put(name, content, { contentType: 'application/pdf' });
    return {
      result: { said: 'a file' },
      file: { key: name, bytes, sha256, contentType: 'application/pdf', fileName: 'villa.pdf' },
    };
  });
  const id = await start(name);
  await client.waitForJob(id);
  const { body } = await client.request('POST', `/jobs/${id}/result-link`);
  return z.object({ url: z.string() }).parse(body).url.replace('http://portal.example', service.origin);
}
const open = (link: string, accept = '*/*') => fetch(link, { redirect: 'manual', headers: { accept } });

describe('a result link with RESULT_REDIRECT', () => {
  it.each([
    ['a program', '*/*', 'attachment; filename="villa.pdf"'],
    ['a browser', 'text/html', 'inline; filename="villa.pdf"'],
  ])(
    'sends %s to an address of the bucket, which answers the file for five minutes',
    async (_, accept, disposition) => {
      const answer = await open(await linkTo(`for-${accept.length}.pdf`), accept);
      const location = new URL(answer.headers.get('location') ?? '');
      expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('referrer-policy')]).toEqual([
        302,
        'no-store',
        'no-referrer',
      ]);
      expect([location.origin, location.searchParams.get('X-Amz-Expires')]).toEqual([s3.bucket.endpoint, '300']);
      expect(location.searchParams.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/);
      const file = await fetch(location);
      expect([file.status, await file.text()]).toEqual([200, content.toString()]);
      expect([file.headers.get('content-type'), file.headers.get('content-disposition')]).toEqual([
        'application/pdf',
        disposition,
      ]);
    },
  );

  it('answers 410 when the bucket lost the file', async () => {
    const link = await linkTo('lost.pdf');
    await service.results.delete('lost.pdf');
    expect((await open(link)).status).toBe(410);
  });

  it('leaves the result of a job with the API', async () => {
    const { id } = new URL(await linkTo('own.pdf')).pathname.match(/(?<id>[^/]+)$/)?.groups ?? {};
    const answer = await client.request('GET', `/jobs/${id}/result`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  });
});

it('RESULT_REDIRECT without a bucket stops the start', async () => {
  const config = readConfig(StorageConfig, { RESULT_REDIRECT: 'true' });
  await expect(openStore(config)).rejects.toThrow('RESULT_REDIRECT needs an s3: STORAGE_URL');
});
