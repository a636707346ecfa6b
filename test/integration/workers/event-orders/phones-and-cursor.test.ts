/** Leads of guests have the phone that the guest gave as an answer; a list that stays incomplete does not freeze the cursor. */
import { afterEach, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import contract from '../../../../workers/event-orders/contract.ts';
import handler from '../../../../workers/event-orders/handler.ts';
import { useJob } from '../../../support/use-job.ts';

const Lead = z.object({ ORIGINATOR_ID: z.string().nullable(), PHONE: z.array(z.unknown()) });

const { sandbox, client } = useJob('event phones', { handler, scopes: ['events'] });

beforeAll(async () => {
  await sandbox.control.settings('events', { orders: 400, pageSize: 200 });
  await sandbox.control.data('events', 'orders', 'reset');
});
afterEach(() => sandbox.control.settings('events', { noPhones: false, omittedRows: 0 }));

async function run(body: object) {
  const { id } = await client.requestJob('POST', '/apps/events/v1/orders/process', { body });
  return await client.waitForJob(id);
}

it('leads have the phones that guests gave as answers', async () => {
  expect(await run({ eventId: '9001' })).toMatchObject({ state: 'succeeded', warnings: [] });
  const { latest } = await sandbox.control.rows('crm', 'leads', 100_000);
  const created = z
    .array(Lead)
    .parse(latest)
    .filter(lead => lead.ORIGINATOR_ID === 'eventbrite');
  expect(created.length).toBeGreaterThan(50);
  expect(created.filter(({ PHONE }) => PHONE.length === 0)).toEqual([]);
});

it('warns of an event of which no attendee has a phone', async () => {
  await sandbox.control.settings('events', { noPhones: true });
  expect(await run({ eventId: '9002', dryRun: true })).toMatchObject({
    warnings: [
      { code: 'no-phones', detail: expect.stringMatching(/^None of \d+ attendees of event 9002 has a phone number/) },
    ],
  });
});

it('reads only the last day of orders again while the platform counts more than it returns', async () => {
  await sandbox.control.settings('events', { omittedRows: 1_000 });
  const first = await run({});
  expect(first).toMatchObject({ result: { read: 398, failed: 0 }, warnings: [{ code: 'incomplete-orders' }] });
  const second = contract.result.parse((await run({})).result);
  // An order every ten minutes: 144 in 24 hours.
  expect(second.read).toBeGreaterThan(140);
  expect(second.read).toBeLessThan(150);
});
