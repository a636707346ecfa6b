/** GET /jobs/{id}/timeline: all events in order, as sentences, in pages. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ServiceError } from '../../../../../core/runtime/errors.ts';
import { useTrials } from '../../../../support/use-trials.ts';

const Page = z.object({
  items: z.array(z.object({ id: z.int(), type: z.string(), text: z.string(), at: z.string() })),
  nextCursor: z.string().nullable(),
});

describe('the timeline of a job', () => {
  const { client, trials, start } = useTrials('timeline');

  const page = async (id: string, query = '') =>
    Page.parse((await client.request('GET', `/jobs/${id}/timeline${query}`)).body);

  it('describes attempts, errors, stages and the end', async () => {
    trials.when('retried', async context => {
      if (context.attempt === 1) throw new ServiceError('upstream-failed', 'The CRM did not answer.');
      context.progress('photos', 1, 4, 25);
      await expect.poll(async () => (await client.job(context.jobId)).progress?.stage).toBe('photos');
      return 'done';
    });
    const id = await start('retried');
    await client.waitForJob(id);
    const { items, nextCursor } = await page(id);
    expect(items.map(item => item.text)).toEqual([
      'The job was accepted.',
      'Attempt 1 started.',
      'Attempt 1 failed and will be retried: The CRM did not answer.',
      'Attempt 2 started.',
      'Stage photos started, 4 to do.',
      'The job succeeded in attempt 2.',
    ]);
    expect(nextCursor).toBeNull();
    const times = items.map(item => item.at);
    expect(times).toEqual([...times].sort());
  });

  it('is returned in pages', async () => {
    const id = await start('paged');
    await client.waitForJob(id);
    const whole = await page(id);
    expect(whole.items.map(item => item.type)).toEqual(['accepted', 'begun', 'succeeded']);
    const first = await page(id, '?limit=2');
    expect(first.items).toEqual(whole.items.slice(0, 2));
    const second = await page(id, `?limit=2&cursor=${first.nextCursor}`);
    expect(second).toEqual({ items: whole.items.slice(2), nextCursor: null });
    expect((await client.request('GET', `/jobs/${id}/timeline?cursor=eyJpZCI6IngifQ`)).status).toBe(422);
  });
});
