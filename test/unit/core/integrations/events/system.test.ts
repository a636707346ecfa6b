/** What the events platform receives, and how its answers are read. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Events } from '../../../../../core/integrations/events/system.ts';
import eventsSystem from '../../../../../core/integrations/events/system.ts';
import { withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { once, openClient, type Reply, recordedBudgets, useVendor, vendorContext } from '../../../../support/vendor.ts';

const organizationsOf = 'GET /users/me/organizations/';
const ordersOf = 'GET /organizations/55/orders/';
const attendeesOf = (event: string) => `GET /events/${event}/attendees/`;
const lastPage = { has_more_items: false };
const order = { id: '1', changed: '2026-01-30T10:00:00Z', status: 'placed', event_id: '9' };
const orders = (...ids: string[]): Reply => ({
  json: { pagination: lastPage, orders: ids.map(id => ({ ...order, id })) },
});
const rejected = (error: string, status = 400): Reply => ({ status, json: { status_code: status, error } });
const organizations = (...ids: string[]): Reply => ({
  json: { pagination: lastPage, organizations: ids.map(id => ({ id, name: `Organisation ${id}` })) },
});

const vendor = await useVendor();
let events: Events;

const opened = (settings: Record<string, string> = {}) =>
  openClient(eventsSystem, { EVENTS_URL: vendor.url, EVENTS_TOKEN: 'token', ...settings });
beforeEach(() => {
  events = opened({ EVENTS_ORGANIZATION_ID: '55' });
});

describe('me', () => {
  it.each([
    [
      [
        { email: 'a@example.com', primary: false },
        { email: 'b@example.com', primary: true },
      ],
      'b@example.com',
    ],
    [[{ email: 'a@example.com' }, { email: 'b@example.com' }], 'a@example.com'],
    [[], null],
  ])('of %j is %s', async (emails, email) => {
    vendor.on('GET /users/me/', { json: { id: '1', name: 'Sara', emails } });
    expect(await once(() => events.me())).toEqual({ id: '1', name: 'Sara', email });
    expect(vendor.received[0]?.headers.authorization).toBe('Bearer token');
  });

  it('is the probe', async () => {
    vendor.on('GET /users/me/', { json: { id: '1', name: 'Sara' } });
    await once(() => eventsSystem.probe(vendorContext({ EVENTS_URL: vendor.url })));
    expect(vendor.calls()).toEqual(['GET /users/me/']);
  });
});

describe('organisations', () => {
  it('are read from all pages', async () => {
    const first = { has_more_items: true, continuation: 'next', object_count: 2 };
    vendor.on(
      organizationsOf,
      { json: { pagination: first, organizations: [{ id: '1', name: 'One' }] } },
      { json: { pagination: lastPage, organizations: [{ id: '2', name: 'Two' }] } },
    );
    expect(await once(() => events.organizations())).toEqual([
      { id: '1', name: 'One' },
      { id: '2', name: 'Two' },
    ]);
    expect(vendor.received.map(({ query }) => query)).toEqual([{}, { continuation: 'next' }]);
  });

  it('are an error while some of them are missing', async () => {
    const pagination = { has_more_items: false, object_count: 3 };
    vendor.on(organizationsOf, { json: { pagination, organizations: [{ id: '1', name: 'One' }] } });
    await expect(once(() => events.organizations())).rejects.toMatchObject({
      message: 'The events platform counted 3 organisations and returned 1.',
      failure: { code: 'incomplete' },
    });
  });
});

describe('the check of the organisation', () => {
  const check = (settings: Record<string, string>) =>
    once(() => eventsSystem.checkSettings(vendorContext({ EVENTS_URL: vendor.url, ...settings })));

  it.each([
    [['55'], {}],
    [['55', '66'], { EVENTS_ORGANIZATION_ID: '66' }],
  ])('finds nothing for the organisations %j with %j', async (ids, settings) => {
    vendor.on(organizationsOf, organizations(...ids));
    expect(await check(settings)).toEqual([]);
  });

  it.each([
    [['55', '66'], {}, '55, 66'],
    [[], {}, 'none'],
    [['55'], { EVENTS_ORGANIZATION_ID: '66' }, '55'],
  ])('fails for the organisations %j with %j', async (ids, settings, named) => {
    vendor.on(organizationsOf, organizations(...ids));
    expect(await check(settings)).toEqual([
      {
        level: 'failure',
        found: `the token belongs to the organisations ${named}`,
        fix: 'set EVENTS_ORGANIZATION_ID to the one whose orders are read',
      },
    ]);
  });
});

describe('orders', () => {
  it('of the organisation are read in all states, with attendees and events', async () => {
    vendor.on(ordersOf, orders('1', '2'));
    const { orders: found, missing } = await once(() => events.orders({}));
    expect([found.map(({ id }) => id), missing]).toEqual([['1', '2'], 0]);
    expect(vendor.received.map(({ query }) => query)).toEqual([
      { status: 'both', expand: 'attendees,attendees.answers,event' },
    ]);
  });

  it('changed since a time are read since its second', async () => {
    vendor.on(ordersOf, orders());
    await once(() => events.orders({ changedSince: new Date('2026-01-30T10:00:00.987Z') }));
    expect(vendor.received[0]?.query).toMatchObject({ changed_since: '2026-01-30T10:00:00Z' });
  });

  it('of an event need no organisation', async () => {
    vendor.on('GET /events/9/orders/', orders('1'));
    const { orders: found } = await once(() => opened().orders({ eventId: '9' }));
    expect(found).toHaveLength(1);
  });

  it('report the number of orders read after each page', async () => {
    const pagination = { has_more_items: true, continuation: 'next' };
    vendor.on(ordersOf, { json: { pagination, orders: [order, { ...order, id: '2' }] } }, orders('3'));
    const counts: number[] = [];
    await once(() => events.orders({ onRead: count => counts.push(count) }));
    expect(counts).toEqual([2, 3]);
    expect(vendor.received[1]?.query).toMatchObject({ continuation: 'next', status: 'both' });
  });

  it('that the platform counts and does not return are counted', async () => {
    const pagination = { has_more_items: false, object_count: 3 };
    vendor.on(ordersOf, { json: { pagination, orders: [order] } });
    expect(await once(() => events.orders({}))).toMatchObject({ missing: 2 });
  });

  it('belong to the token’s only organisation', async () => {
    vendor.on(organizationsOf, organizations('55'));
    vendor.on(ordersOf, orders('1'));
    expect((await once(() => opened().orders({}))).orders).toHaveLength(1);
  });

  it.each([[[]], [['55', '66']]])('need a setting when the token’s organisations are %j', async ids => {
    vendor.on(organizationsOf, organizations(...ids));
    await expect(once(() => opened().orders({}))).rejects.toMatchObject({
      code: 'system-not-configured',
      message: expect.stringContaining('EVENTS_ORGANIZATION_ID'),
    });
    expect(vendor.calls()).toEqual([organizationsOf]);
  });

  it('of an unknown event are not found', async () => {
    vendor.on('GET /events/9/orders/', rejected('NOT_FOUND', 404));
    await expect(once(() => events.orders({ eventId: '9' }))).rejects.toMatchObject({
      code: 'not-found',
      cause: { failure: { status: 404 } },
    });
  });

  it('fail with other errors of the platform', async () => {
    vendor.on(ordersOf, rejected('ARGUMENTS_ERROR'));
    await expect(once(() => events.orders({}))).rejects.toMatchObject({ failure: { status: 400 } });
    expect(vendor.received).toHaveLength(1);
  });
});

describe('orders that the platform cannot expand', () => {
  const attendee = (id: string, order_id: string) => ({ id, order_id });
  const attendees = (...rows: object[]): Reply => ({ json: { pagination: lastPage, attendees: rows } });

  beforeEach(() =>
    vendor.on(ordersOf, ({ query }) =>
      query.expand === undefined
        ? {
            json: {
              pagination: lastPage,
              orders: [order, { ...order, id: '2' }, { ...order, id: '3', event_id: '8' }],
            },
          }
        : rejected('EXPANSION_FAILED', 500),
    ),
  );

  it('get their attendees from their events, each of which is read once', async () => {
    vendor.on(attendeesOf('9'), attendees(attendee('a', '1'), attendee('b', '2'), attendee('c', '1')));
    vendor.on(attendeesOf('8'), attendees());
    const { orders: found } = await once(() => events.orders({}));
    expect(found.map(row => [row.id, row.attendees.map(({ id }) => id)])).toEqual([
      ['1', ['a', 'c']],
      ['2', ['b']],
      ['3', []],
    ]);
    expect(vendor.calls()).toEqual([ordersOf, ordersOf, attendeesOf('9'), attendeesOf('8')]);
    expect(vendor.received[1]?.query).toEqual({ status: 'both' });
  });

  it('fail while attendees are missing', async () => {
    const pagination = { has_more_items: false, object_count: 2 };
    vendor.on(attendeesOf('9'), { json: { pagination, attendees: [attendee('a', '1')] } });
    await expect(once(() => events.orders({}))).rejects.toMatchObject({
      message: 'The events platform counted 2 attendees and returned 1.',
    });
  });

  it('get the attendees of all pages of an event', async () => {
    const pagination = { has_more_items: true, continuation: 'next' };
    vendor.on(
      attendeesOf('9'),
      { json: { pagination, attendees: [attendee('a', '1')] } },
      attendees(attendee('b', '1')),
    );
    vendor.on(attendeesOf('8'), attendees());
    const { orders: found } = await once(() => events.orders({}));
    expect(found[0]?.attendees.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(vendor.received[3]?.query).toEqual({ expand: 'answers', continuation: 'next' });
  });
});

describe('errors of the platform', () => {
  const me = 'GET /users/me/';

  it.each([
    [
      400,
      { error: 'INVALID_AUTH' },
      { code: 'INVALID_AUTH', kind: 'rejected' },
      'rejects our credentials (INVALID_AUTH)',
    ],
    [401, { error: 'NO_AUTH' }, { code: 'NO_AUTH', kind: 'rejected' }, 'rejects our credentials (NO_AUTH)'],
    [400, { error: 'ARGUMENTS_ERROR' }, { kind: 'rejected' }, 'rejected the call'],
    [
      500,
      { error: 'EXPANSION_FAILED' },
      { code: 'EXPANSION_FAILED', kind: 'rejected' },
      'rejected the call (EXPANSION_FAILED)',
    ],
    [
      500,
      { error: 'BAD_CONTINUATION_TOKEN' },
      { code: 'BAD_CONTINUATION_TOKEN', kind: 'rejected' },
      'rejected the call (BAD_CONTINUATION_TOKEN)',
    ],
    [500, { error: 'INTERNAL_ERROR' }, { kind: 'failing' }, 'failed'],
    [500, null, { kind: 'failing' }, 'failed'],
    [500, 'text', { kind: 'failing' }, 'failed'],
    [500, {}, { kind: 'failing' }, 'failed'],
  ])('%i %j', async (status, json, failure, text) => {
    vendor.on(me, { status, json });
    await expect(once(() => events.me())).rejects.toMatchObject({ message: `The events platform ${text}.`, failure });
  });

  it('an exceeded limit stops all calls for a minute', async () => {
    vendor.on(me, rejected('HIT_RATE_LIMIT', 429));
    const { budgets, blocked } = recordedBudgets();
    const limited = openClient(eventsSystem, { EVENTS_URL: vendor.url }, { budgets });
    await expect(once(() => limited.me())).rejects.toMatchObject({
      code: 'upstream-unavailable',
      failure: { code: 'HIT_RATE_LIMIT', kind: 'limit', retryAfterMs: 60_000 },
    });
    expect(blocked).toEqual([{ name: 'events', ms: 60_000 }]);
  });

  it('the member `error` of a success is none', async () => {
    vendor.on(me, { json: { id: '1', name: 'Sara', error: 'INVALID_AUTH' } });
    expect(await once(() => events.me())).toMatchObject({ id: '1' });
  });
});

it('half of the hour’s calls may be sent at once; background work leaves a twentieth of the hour’s to others', async () => {
  vendor.on('GET /users/me/', { json: { id: '1', name: 'Sara' } });
  const { budgets, taken } = recordedBudgets();
  const limited = openClient(eventsSystem, { EVENTS_URL: vendor.url, EVENTS_CALLS_PER_HOUR: '7200' }, { budgets });
  await once(() => limited.me());
  await withCallContext({ priority: 'background' }, () => limited.me());
  expect(taken.map(({ budget, limit }) => [budget.perSecond, limit])).toEqual([
    [1, 3_600],
    [1, 3_240],
  ]);
});

it('the sandbox serves the system with its own organisation', async () => {
  vendor.on('GET /events/v3/organizations/5550001/orders/', orders('1'));
  const served = openClient(eventsSystem, {}, { sandboxUrl: vendor.url });
  expect((await once(() => served.orders({}))).orders).toHaveLength(1);
  expect(vendor.received[0]?.headers.authorization).toBe('Bearer sandbox');
});

it('the organisation must be a number', () =>
  expect(() => opened({ EVENTS_ORGANIZATION_ID: 'a1' })).toThrow('EVENTS_ORGANIZATION_ID must be a number.'));

it('the organisation must be nothing but a number', () =>
  expect(() => opened({ EVENTS_ORGANIZATION_ID: '1a' })).toThrow('EVENTS_ORGANIZATION_ID must be a number.'));
