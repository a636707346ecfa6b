/** Idempotency-Key: repeated requests have no further effect. */
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inGroup, type LoadedOperation } from '../../../../api/http/load-operations.ts';
import { defineOperation } from '../../../../api/http/operation.ts';
import { JobResource } from '../../../../core/jobs/resource.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';
import { gate } from '../../../support/gate.ts';
import { runMaintenanceTask } from '../../../support/maintenance.ts';
import { trialOperations } from '../../../support/trial-jobs.ts';
import { useTrials } from '../../../support/use-trials.ts';

const Thing = z.object({ name: z.string(), id: z.string(), secret: z.string().optional() });
/** Behaviour of the next creation; counts its calls. */
let create: (name: string) => Promise<z.infer<typeof Thing>>;
let created = 0;

const things = (idempotent: true | 'secret', path: string): LoadedOperation =>
  inGroup(
    'things',
    defineOperation({
      summary: 'Create a thing.',
      id: `things.create-${path}`,
      route: `POST /${path}`,
      scope: 'trial',
      idempotent,
      request: { body: z.object({ name: z.string(), colour: z.string().optional() }) },
      answers: { 201: { description: 'The thing.', schema: Thing, headers: ['Location'] } },
      problems: { 'upstream-failed': 'The CRM is away.' },
      async handle({ body }) {
        created++;
        const thing = await create(body.name);
        return { status: 201, headers: { location: `/v2/things/${thing.id}` }, body: thing };
      },
    }),
  );

describe('a request with an Idempotency-Key', () => {
  const { service, client, trials } = useTrials('idempotency', () => ({
    operations: [...trialOperations, things(true, 'things'), things('secret', 'secret-things')],
  }));

  beforeEach(() => {
    created = 0;
    create = async name => ({ name, id: randomUUID() });
  });

  const send = (path: string, key: string, body: object = { name: 'one' }, by = client) =>
    by.request('POST', path, { body, headers: { 'idempotency-key': key } });
  const died = (key: string) =>
    service.database.execute(
      sql`update idempotency_key set claimed_until = now() - interval '1 second' where key = ${key}`,
    );

  describe('that creates something', () => {
    it('gets the first answer again (status, body, Location), marked as replayed', async () => {
      const key = randomUUID();
      const first = await send('/things', key);
      const again = await send('/things', key);
      expect(created).toBe(1);
      expect(first.status).toBe(201);
      expect(first.headers.get('idempotent-replayed')).toBeNull();
      expect(again).toMatchObject({ status: 201, body: first.body });
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    });

    it('accepts the key with and without quotes and ignores the member order', async () => {
      const key = randomUUID();
      const first = await send('/things', `"${key}"`, { name: 'one', colour: 'red' });
      expect(await send('/things', key, { colour: 'red', name: 'one' })).toMatchObject({ body: first.body });
      expect(created).toBe(1);
    });

    it('returns 422 when the key was used with another body', async () => {
      const key = randomUUID();
      await send('/things', key);
      expect(await send('/things', key, { name: 'another' })).toMatchObject({
        status: 422,
        body: { type: 'http://portal.example/v2/problems/idempotency-key-reused' },
      });
      expect(created).toBe(1);
    });

    it('does not share keys with other clients or operations', async () => {
      const key = randomUUID();
      await send('/things', key);
      const other = await service.client(['trial']);
      expect((await send('/things', key, undefined, other)).headers.get('idempotent-replayed')).toBeNull();
      expect((await send('/secret-things', key)).headers.get('idempotent-replayed')).toBeNull();
      expect(created).toBe(3);
    });

    it('returns 409 with Retry-After while the first is in progress', async () => {
      const key = randomUUID();
      const made = gate();
      create = async name => {
        await made.opened;
        return { name, id: 'slow' };
      };
      const first = send('/things', key);
      await expect.poll(() => created).toBe(1);
      const early = await send('/things', key);
      expect(early).toMatchObject({ status: 409 });
      expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0);
      made.open();
      expect(await first).toMatchObject({ status: 201 });
      expect(await send('/things', key)).toMatchObject({ status: 201, body: { id: 'slow' } });
      expect(created).toBe(1);
    });

    it('takes effect once when sent twenty times concurrently', async () => {
      const key = randomUUID();
      const answers = await Promise.all(Array.from({ length: 20 }, () => send('/things', key)));
      expect(created).toBe(1);
      expect(new Set(answers.map(({ status }) => status))).toSatisfy((found: Set<number>) =>
        [...found].every(status => status === 201 || status === 409),
      );
    });

    it('releases the key when it fails', async () => {
      const key = randomUUID();
      create = async () => {
        throw new ServiceError('upstream-failed', 'The CRM is away.');
      };
      expect(await send('/things', key)).toMatchObject({ status: 502 });
      create = async name => ({ name, id: 'at last' });
      const again = await send('/things', key);
      expect(again).toMatchObject({ status: 201, body: { id: 'at last' } });
      expect(again.headers.get('idempotent-replayed')).toBeNull();
    });

    it('can be repeated after the claim of a dead process expires', async () => {
      const key = randomUUID();
      const never = gate();
      create = async name => {
        if (created === 1) await never.opened;
        return { name, id: `attempt ${created}` };
      };
      const lost = send('/things', key);
      await expect.poll(() => created).toBe(1);
      expect(await send('/things', key)).toMatchObject({ status: 409 });
      await died(key);
      expect(await send('/things', key)).toMatchObject({ status: 201, body: { id: 'attempt 2' } });
      never.open();
      await lost;
      // The process that lost its claim did not overwrite the stored answer.
      expect(await send('/things', key)).toMatchObject({ status: 201, body: { id: 'attempt 2' } });
    });

    it('holds the key for 15 seconds after its process died, and renews it while it runs', async () => {
      const key = randomUUID();
      const made = gate();
      create = async name => {
        await made.opened;
        return { name, id: 'slow' };
      };
      const first = send('/things', key);
      await expect.poll(() => created).toBe(1);
      const heldUntil = async () => {
        const { rows } = await service.database.execute(
          sql`select claimed_until as until, claimed_until <= now() + interval '15 seconds' as soon from idempotency_key where key = ${key}`,
        );
        return z.object({ until: z.coerce.date(), soon: z.boolean() }).parse(rows[0]);
      };
      const { until, soon } = await heldUntil();
      expect(soon).toBe(true);
      await expect.poll(async () => (await heldUntil()).until > until, { interval: 200 }).toBe(true);
      made.open();
      expect(await first).toMatchObject({ status: 201 });
    });

    it('does not store secrets: a repeat returns 409', async () => {
      const key = randomUUID();
      create = async name => ({ name, id: 'x', secret: 'pss_hunter2' });
      expect(await send('/secret-things', key)).toMatchObject({ status: 201, body: { secret: 'pss_hunter2' } });
      const again = await send('/secret-things', key);
      expect(again).toMatchObject({ status: 409 });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(created).toBe(1);
      const { rows } = await service.database.execute(sql`select * from idempotency_key where key = ${key}`);
      expect(JSON.stringify(rows)).not.toContain('hunter2');
    });

    it('is forgotten after a day, and its row is deleted', async () => {
      const key = randomUUID();
      await send('/things', key);
      await service.database.execute(sql`update idempotency_key set expires_at = now() where key = ${key}`);
      await send('/things', key, { name: 'another' });
      expect(created).toBe(2);
      await service.database.execute(sql`update idempotency_key set expires_at = now() - interval '1 second'`);
      await runMaintenanceTask('idempotency-keys', service);
      expect(await service.database.$count(sql`idempotency_key`)).toBe(0);
    });

    it.each([
      ['an empty one', '""'],
      ['one too long', 'x'.repeat(256)],
      ['one with spaces', 'a b'],
      ['half a string', '"a'],
    ])('returns 400 for an invalid key: %s', async (_, key) => {
      expect(await send('/things', key)).toMatchObject({ status: 400 });
      expect(created).toBe(0);
    });
  });

  describe('that starts a job', () => {
    it('gets the current state of the same job', async () => {
      const key = randomUUID();
      const finish = gate();
      trials.when('same', () => finish.opened.then(() => 'done'));
      const first = await send('/trials/trial', key, { name: 'same' });
      const { id } = JobResource.parse(first.body);
      const again = await send('/trials/trial', key, { name: 'same' });
      expect(again).toMatchObject({ status: 202, body: { id } });
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      finish.open();
      await client.waitForJob(id);
      expect(await send('/trials/trial', key, { name: 'same' })).toMatchObject({
        status: 200,
        body: { id, state: 'succeeded' },
      });
      expect(trials.attempts('same')).toEqual([1]);
    });

    it('is answered at once while the first request waits for the job', async () => {
      const key = randomUUID();
      const finish = gate();
      trials.when('waited for', () => finish.opened.then(() => 'done'));
      const first = client.request('POST', '/trials/trial', {
        body: { name: 'waited for' },
        headers: { 'idempotency-key': key, prefer: 'wait=30' },
      });
      await expect.poll(() => trials.attempts('waited for')).toEqual([1]);
      expect(await send('/trials/trial', key, { name: 'waited for' })).toMatchObject({ status: 202 });
      finish.open();
      expect(await first).toMatchObject({ status: 200 });
    });

    it('starts one job for concurrent requests', async () => {
      const key = randomUUID();
      const name = `crowd ${key}`;
      const answers = await Promise.all(Array.from({ length: 20 }, () => send('/trials/trial', key, { name })));
      const ids = answers.flatMap(({ status, body }) => (status < 300 ? [JobResource.parse(body).id] : []));
      expect(new Set(ids).size).toBe(1);
      await client.waitForJob(ids[0] ?? '');
      expect(trials.attempts(name)).toEqual([1]);
    });

    it('starts no second job when the process died after the insert', async () => {
      const key = randomUUID();
      const first = JobResource.parse((await send('/trials/trial', key, { name: 'crash' })).body);
      await died(key);
      expect(await send('/trials/trial', key, { name: 'crash' })).toMatchObject({ body: { id: first.id } });
      expect(trials.attempts('crash').length).toBeLessThanOrEqual(1);
    });

    it('returns 422 when the key was used with another body', async () => {
      const key = randomUUID();
      await send('/trials/trial', key, { name: 'mine' });
      expect(await send('/trials/trial', key, { name: 'another' })).toMatchObject({ status: 422 });
    });

    it('gets its job also after startBy has passed', async () => {
      const key = randomUUID();
      const body = { name: 'soon', startBy: new Date(Date.now() + 1_000).toISOString() };
      const { id } = JobResource.parse((await send('/trials/trial', key, body)).body);
      await expect
        .poll(async () => send('/trials/trial', key, body))
        .toSatisfy(() => Date.parse(body.startBy) < Date.now());
      expect(await send('/trials/trial', key, body)).toMatchObject({ status: 200, body: { id } });
    });

    it('releases the key when it is rejected or only validated', async () => {
      const key = randomUUID();
      expect(await send('/trials/trial', key, { name: '' })).toMatchObject({ status: 422 });
      expect(await send('/trials/trial', key, { name: 'valid', validateOnly: true })).toMatchObject({ status: 200 });
      expect(await send('/trials/trial', key, { name: 'valid' })).toMatchObject({ status: 202 });
    });
  });
});
