/** Alerts over HTTP: list, history, snooze. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { Alert } from '../../../../../core/alerts/alert.ts';
import { alertTable } from '../../../../../core/alerts/schema.ts';
import type { ApiClient } from '../../../../support/api-client.ts';
import { startTestService, type TestService } from '../../../../support/test-service.ts';

const Page = z.object({ items: z.array(Alert), nextCursor: z.string().nullable() });
const idOf = (index: number) => `0198c0de-0000-7000-8000-00000000000${index}`;

let service: TestService;
let client: ApiClient;

beforeAll(async () => {
  service = await startTestService('alerts-api');
  client = await service.client(['ops']);
  const at = (hour: number) => new Date(Date.UTC(2026, 0, 31, hour));
  const alert = (index: number, opened: boolean, resolvedAt: Date | null = null) => ({
    id: idOf(index),
    rule: 'oldest-waiting',
    subject: `kind-${index}`,
    severity: 'warning' as const,
    what: 'Jobs wait.',
    mend: 'Start a worker.',
    firstSeenAt: at(index),
    lastSeenAt: at(index),
    openedAt: opened ? at(index) : null,
    resolvedAt,
  });
  await service.database
    .insert(alertTable)
    .values([alert(1, true), alert(2, true, at(4)), alert(3, true), alert(5, false)]);
});
afterAll(() => service?.close());

const list = async (query = '') => Page.parse((await client.request('GET', `/alerts${query}`)).body);
const ids = (items: readonly Alert[]) => items.map(({ id }) => id);
const snooze = (id: string, hours: unknown) => client.request('POST', `/alerts/${id}/snooze`, { body: { hours } });

it('lists open alerts, newest first; closed ones with state=all', async () => {
  expect(ids((await list()).items)).toEqual([idOf(3), idOf(1)]);
  const first = await list('?state=all&limit=2');
  expect(ids(first.items)).toEqual([idOf(3), idOf(2)]);
  expect(await list(`?state=all&limit=2&cursor=${first.nextCursor}`)).toMatchObject({
    items: [{ id: idOf(1) }],
    nextCursor: null,
  });
});

it('snoozes an open alert and records the actor', async () => {
  const before = Date.now();
  const snoozed = Alert.parse((await snooze(idOf(1), 8)).body);
  expect(snoozed.snoozedBy).toBe(client.clientId);
  expect(Date.parse(snoozed.snoozedUntil ?? '') - before).toBeGreaterThanOrEqual(8 * 3_600_000);
  const { rows } = await service.database.pool.query(
    "select action, target, actor from audit_entry where action = 'alerts.snooze'",
  );
  expect(rows).toEqual([{ action: 'alerts.snooze', target: `/alerts/${idOf(1)}`, actor: client.clientId }]);
  expect(await snooze(idOf(1), 0)).toMatchObject({ body: { snoozedUntil: null, snoozedBy: null } });
});

it('returns 404 and 422 for invalid requests', async () => {
  expect((await snooze(idOf(2), 8)).status).toBe(404);
  expect((await snooze(idOf(1), 169)).body).toMatchObject({
    status: 422,
    errors: [{ pointer: '/hours', detail: 'must be at most 168; it was 169' }],
  });
  expect((await client.request('GET', '/alerts?state=closed')).status).toBe(422);
  const other = await service.client(['pdf']);
  expect((await other.request('GET', '/alerts')).status).toBe(403);
});
