/** Tests that the simulated events platform behaves like the vendor's: order statuses, paging, and its faults. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
afterEach(() => sandbox.control.reset('events'));

const Orders = z.object({
  pagination: z.object({ object_count: z.int(), has_more_items: z.boolean(), continuation: z.string() }),
  orders: z.array(
    z.object({ status: z.string(), attendees: z.array(z.object({ refunded: z.boolean() })).default([]) }),
  ),
});

const ask = (path: string): Promise<Response> =>
  fetch(`${sandbox.url}/events/v3${path}`, { headers: { authorization: 'Bearer sandbox' } });
const ordersOf = async (query: string) =>
  Orders.parse(await (await ask(`/organizations/5550001/orders/?${query}`)).json());

describe('orders', () => {
  it('have the statuses of the vendor; a refund changes the attendees and not the status', async () => {
    await sandbox.control.settings('events', { orders: 400, chapter: 2, pageSize: 200 });
    await sandbox.control.data('events', 'orders', 'reset');
    const first = await ordersOf('status=both&expand=attendees');
    const { orders } = await ordersOf(`status=both&expand=attendees&continuation=${first.pagination.continuation}`);
    const all = [...first.orders, ...orders];
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['placed', 'started', 'pending', 'abandoned']));
    const refunded = all.filter(({ attendees }) => attendees.some(attendee => attendee.refunded));
    expect(refunded.length).toBeGreaterThan(0);
    expect(refunded.every(({ status }) => status === 'placed')).toBe(true);
    const active = await ordersOf('status=active&expand=attendees');
    expect(active.orders.every(({ attendees }) => attendees.some(({ refunded: ended }) => !ended))).toBe(true);
  });

  it('of a page may be fewer than counted according to the setting "omittedRows"', async () => {
    await sandbox.control.settings('events', { omittedRows: 1 });
    const lengths = [await ordersOf('status=both'), await ordersOf('status=both')].map(({ orders, pagination }) => [
      orders.length,
      pagination.object_count,
    ]);
    expect(lengths).toEqual([
      [49, 60],
      [50, 60],
    ]);
  });

  it('are not returned for an invalid token, or one rejected by the setting "invalidTokens"', async () => {
    await sandbox.control.settings('events', { invalidTokens: 1 });
    const { pagination } = await ordersOf('status=both');
    const next = `/organizations/5550001/orders/?continuation=${pagination.continuation}`;
    const rejected = [await ask('/organizations/5550001/orders/?continuation=x'), await ask(next)];
    for (const answer of rejected)
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'BAD_CONTINUATION_TOKEN' }]);
    expect((await ask(next)).status).toBe(200);
  });
});

describe('attendees', () => {
  it('are listed for an event; the unpublished list of an order does not exist', async () => {
    const answer = await ask('/events/9001/attendees/');
    const { pagination, attendees } = z
      .object({ pagination: z.object({ object_count: z.int() }), attendees: z.array(z.unknown()) })
      .parse(await answer.json());
    expect(pagination.object_count).toBe(attendees.length);
    expect((await ask('/orders/440000000/attendees/')).status).toBe(404);
  });
});
