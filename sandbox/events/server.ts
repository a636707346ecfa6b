/** Simulates the events platform: reading orders with Eventbrite's API v3. */
import { z } from 'zod';
import { defineSandboxSystem } from '../kit/sandbox-system.ts';
import { addAccount, isAuthorised, rejectToken } from './account.ts';
import { ordersInChapter, withoutPhones } from './order-changes.ts';
import { addOrders } from './orders.ts';
import { createPager } from './pager.ts';
import { type Order, seedOrders } from './seed.ts';

export default defineSandboxSystem({
  title: 'Events platform (Eventbrite API v3)',
  settings: z.object({
    orders: z.int().min(0).max(100_000).default(60).describe('Number of orders after the next reset of `orders`.'),
    hidden: z
      .int()
      .min(0)
      .default(0)
      .describe('Number of the last orders that are not visible yet, whatever their time (late arrivals).'),
    chapter: z
      .int()
      .min(0)
      .max(2)
      .default(0)
      .describe(
        '0: orders as bought. 1: some attendees corrected their details. 2: some orders were refunded or cancelled, too.',
      ),
    organizations: z.int().min(0).max(1_000).default(1).describe('Number of organisations of the token.'),
    pageSize: z.int().min(1).max(200).default(50).describe('Rows per page of every list.'),
    noPhones: z.boolean().default(false).describe('Whether the order form asks for no phone number.'),
    refuseExpansion: z.boolean().default(false).describe('Whether `expand` fails with 500 EXPANSION_FAILED.'),
    messyData: z.boolean().default(false).describe('Whether rows are served in odd forms, as real accounts have them.'),
    repeatedPage: z.boolean().default(false).describe('Whether every page repeats the first one.'),
    omittedRows: z
      .int()
      .min(0)
      .default(0)
      .describe('Rows that lists omit although they are counted: the last row of the next pages.'),
    invalidTokens: z.int().min(0).default(0).describe('Number of next continuation tokens that are rejected.'),
  }),
  faults: {
    'error-500': {
      status: 500,
      body: { status_code: 500, error: 'INTERNAL_ERROR', error_description: 'An internal error occurred.' },
    },
    limit: {
      status: 429,
      body: {
        status_code: 429,
        error: 'HIT_RATE_LIMIT',
        error_description: 'Your token has reached its hourly limit.',
      },
    },
    // Eventbrite answers 400, not 401, to an invalid token.
    unauthorized: {
      status: 400,
      body: { status_code: 400, error: 'INVALID_AUTH', error_description: 'The OAuth token you provided was invalid.' },
    },
  },
  open({ collection, settings, onReset }) {
    const pager = createPager(settings);
    onReset(pager.reset);
    const orders = collection<Order>('orders', { seed: () => seedOrders(settings.orders), key: order => order.id });
    const visibleOrders = () => {
      const visible = orders.all().slice(0, Math.max(0, orders.size - settings.hidden));
      const found = ordersInChapter(visible, settings.chapter);
      return settings.noPhones ? found.map(withoutPhones) : found;
    };
    return async app => {
      app.addHook('onRequest', async (request, reply) => {
        if (!isAuthorised(request)) await rejectToken(reply);
      });
      addAccount(app, settings, pager);
      addOrders(app, { visibleOrders, settings, pager });
      app.setNotFoundHandler((_, reply) =>
        reply
          .code(404)
          .send({ status_code: 404, error: 'NOT_FOUND', error_description: 'The path you requested does not exist.' }),
      );
    };
  },
});
