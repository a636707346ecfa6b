/** Handles `event-orders` jobs: reads the changed orders, plans, applies the plan to the leads, and moves the cursor. */
import { z } from 'zod';
import crmSystem from '../../core/integrations/crm/system.ts';
import eventsSystem from '../../core/integrations/events/system.ts';
import type { Order } from '../../core/integrations/events/wire.ts';
import { callsMade } from '../../core/integrations/kit/call-context.ts';
import { defineHandler, type JobContext } from '../../core/jobs/handler.ts';
import { mapConcurrent } from '../../core/runtime/map-concurrent.ts';
import { startReport } from '../../core/sync/report.ts';
import { createSyncStates } from '../../core/sync/states.ts';
import { groupBy } from '../../core/values/group-by.ts';
import type { WorkerServices } from '../services.ts';
import { applyStep, previewStep } from './apply.ts';
import job from './contract.ts';
import { createEventLeads } from './event-leads.ts';
import { guestsOf, planSteps } from './plan.ts';

/** An order may appear up to five minutes after its change; twice that is read again. */
const overlapMs = 10 * 60_000;
/** Orders that the platform counts and does not return are expected among the newest ones. */
const overlapOfMissingMs = 24 * 3_600_000;
/** The CRM's rate limit sets the pace. */
const maxConcurrentSteps = 4;
const syncKind = 'event-orders';

export default defineHandler({
  job,
  config: z.object({}),
  async open(_, services: WorkerServices) {
    return {
      handle: async (payload, context) => ({ result: await processOrders(services, payload, context) }),
    };
  },
});

async function processOrders(services: WorkerServices, payload: z.output<typeof job.payload>, context: JobContext) {
  const { database, systems, effects } = services;
  const { signal } = context;
  const report = startReport(payload);
  const states = createSyncStates(database);
  const eventLeads = createEventLeads(database);
  const before = await states.read(syncKind);
  const asOf = new Date();

  // Before the orders are read: while the CRM is not available, each run of the job would read them.
  if (!payload.dryRun) await crmSystem.probe(systems);
  const since = payload.since === undefined ? before?.changedSince : new Date(payload.since);
  const { orders, missing } = await eventsSystem.client(systems).orders({
    eventId: payload.eventId,
    changedSince: since ?? undefined,
    onRead: read => context.progress('orders', read, read, 5),
  });
  if (missing > 0) context.warn(incompleteOrders(orders.length, missing));
  report.count('read', orders.length);
  const attendeeIds = orders.flatMap(({ attendees }) => attendees.map(({ id }) => id));
  for (const warning of withoutPhones(orders)) context.warn(warning);
  const guests = guestsOf(orders, await eventLeads.keysOf(attendeeIds));
  const steps = planSteps(guests, await eventLeads.find(guests.map(({ key }) => key)));

  const apply = { crm: crmSystem.client(systems), effects, eventLeads, report, signal };
  const onProgress = (done: number) => context.progress('leads', done, steps.length, 10 + (90 * done) / steps.length);
  await mapConcurrent(steps, { limit: maxConcurrentSteps, signal, onProgress }, async step =>
    payload.dryRun ? previewStep(step, report) : await applyStep(apply, step),
  );

  const finished = report.finish(callsMade());
  // A partial run, or one with rejected rows, leaves the cursor: the next run reads these orders again.
  const isWhole = payload.eventId === undefined && payload.since === undefined;
  if (isWhole && !payload.dryRun && report.rejected() === 0) {
    const overlap = missing > 0 ? overlapOfMissingMs : overlapMs;
    const changedSince = nextCursor(orders, before?.changedSince ?? null, overlap);
    await states.write(syncKind, { read: orders.length, changedSince, asOf });
  }
  return finished;
}

const incompleteOrders = (read: number, missing: number) => ({
  pointer: '',
  code: 'incomplete-orders',
  detail: `The events platform counted ${read + missing} orders and returned ${read} in two reads. The next run reads the last 24 hours before the newest order again; for older orders, send \`since\`.`,
});

/** One warning for each event of which no attendee has a phone: its question may be missing, or have other words. */
function withoutPhones(orders: readonly Order[]) {
  const placed = orders.filter(({ placed, attendees }) => placed && attendees.length > 0);
  return [...groupBy(placed, ({ event }) => event.id)].flatMap(([id, ofEvent]) => {
    const attendees = ofEvent.flatMap(order => order.attendees);
    if (attendees.some(({ phone }) => phone !== null)) return [];
    const detail = `None of ${attendees.length} attendees of event ${id} has a phone number: ask for it in the order form, in a question with the word phone, mobile or WhatsApp.`;
    return [{ pointer: '', code: 'no-phones', detail }];
  });
}

/** The time of the latest change less the overlap, never before the old cursor. */
function nextCursor(orders: readonly Order[], old: Date | null, overlapMs: number): Date | null {
  const times = orders.map(({ changedAt }) => changedAt.getTime());
  const latest = times.length > 0 ? Math.max(...times) : old?.getTime();
  return latest === undefined ? null : new Date(Math.max(latest - overlapMs, old?.getTime() ?? 0));
}
