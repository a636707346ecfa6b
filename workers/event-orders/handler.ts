/** Works on `event-orders` jobs: read all pages, plan, make and mend the leads, move the mark on. */
import { z } from 'zod';
import crmSystem from '../../core/integrations/crm/system.ts';
import type { Events } from '../../core/integrations/events/system.ts';
import eventsSystem from '../../core/integrations/events/system.ts';
import type { Order } from '../../core/integrations/events/wire.ts';
import { callsMade } from '../../core/integrations/kit/call-context.ts';
import { defineHandler, type JobContext } from '../../core/jobs/handler.ts';
import { asServiceError } from '../../core/runtime/errors.ts';
import { type ReportWriter, startReport } from '../../core/sync/report.ts';
import { createSyncStates } from '../../core/sync/states.ts';
import type { WorkerServices } from '../services.ts';
import { type ApplyParts, createLead, updateLead } from './apply.ts';
import job from './contract.ts';
import { createEventLeads } from './event-leads.ts';
import { guestsOf, planSteps, type Step } from './plan.ts';

type Payload = z.output<typeof job.payload>;

/** An order may show up to five minutes after it was made or changed; twice that is read again. */
const overlapMs = 10 * 60_000;
/** Steps under way at once; the CRM's budget sets the pace. */
const lanes = 4;
const syncKind = 'event-orders';

export default defineHandler({
  job,
  config: z.object({}),
  async open(_, services: WorkerServices) {
    return {
      handle: async (payload, context) => ({ result: await processOrders(services, payload, context) }),
      close: async () => undefined,
    };
  },
});

async function processOrders(services: WorkerServices, payload: Payload, context: JobContext) {
  const report = startReport(payload);
  const states = createSyncStates(services.database);
  const eventLeads = createEventLeads(services.database);
  const before = await states.read(syncKind);
  const asOf = new Date();

  const changedSince = payload.since === undefined ? before?.changedSince : new Date(payload.since);
  const orders = await readOrders(eventsSystem.client(services.systems), { ...payload, changedSince }, context);
  const attendeeIds = orders.flatMap(({ attendees }) => attendees.map(({ id }) => id));
  report.count('read', orders.length);
  const guests = guestsOf(orders, await eventLeads.keysOf(attendeeIds));
  const steps = planSteps(guests, await eventLeads.find(guests.map(({ key }) => key)));

  const parts = { crm: crmSystem.client(services.systems), effects: services.effects, eventLeads };
  await inLanes(
    steps,
    step => (payload.dryRun ? foretell(step, report) : carryOut(parts, step, report, context)),
    context,
  );

  const finished = report.finish(callsMade());
  // A run over a part, or with rows that failed, leaves what it did not see to the next one.
  const whole = payload.eventId === undefined && payload.since === undefined;
  if (whole && !payload.dryRun && finished.failed === 0) {
    const latest = latestChange(orders) ?? before?.changedSince ?? null;
    const mark =
      latest && new Date(Math.max(latest.getTime() - overlapMs, before?.changedSince?.getTime() ?? 0));
    await states.write(syncKind, { read: orders.length, changedSince: mark, asOf });
  }
  return finished;
}

async function readOrders(
  events: Events,
  query: { eventId?: string | undefined; changedSince: Date | null | undefined },
  context: JobContext,
): Promise<Order[]> {
  const orders: Order[] = [];
  const { eventId, changedSince } = query;
  for await (const page of events.orders({ eventId, changedSince: changedSince ?? undefined })) {
    orders.push(...page);
    context.progress('orders', orders.length, orders.length, 5);
  }
  return orders;
}

const latestChange = (orders: readonly Order[]): Date | undefined =>
  orders
    .map(order => order.changedAt)
    .reduce<Date | undefined>((latest, at) => (latest && latest > at ? latest : at), undefined);

async function inLanes(
  steps: readonly Step[],
  work: (step: Step) => Promise<void>,
  context: JobContext,
): Promise<void> {
  const queue = steps.entries();
  let done = 0;
  const lane = async (): Promise<void> => {
    for (const [, step] of queue) {
      context.signal.throwIfAborted();
      await work(step);
      done += 1;
      context.progress('leads', done, steps.length, 10 + (90 * done) / steps.length);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function foretell({ do: what, guest }: Step, report: ReportWriter): Promise<void> {
  if (what === 'nothing') return report.count('matched');
  const outcome = what === 'create' ? 'created' : 'updated';
  report.count(outcome);
  report.row({
    key: guest.key,
    outcome,
    reason: `${guest.tickets.length} tickets of event ${guest.event.id}`,
  });
}

/** What one guest meets with stops nobody else; an outside system that is down stops the run. */
async function carryOut(
  parts: ApplyParts,
  step: Step,
  report: ReportWriter,
  context: JobContext,
): Promise<void> {
  const { key } = step.guest;
  try {
    if (step.do === 'nothing') report.count(step.why === 'the same' ? 'matched' : 'skipped');
    else if (step.do === 'create') {
      await createLead(parts, step);
      report.count('created');
    } else if (await updateLead(parts, step)) report.count('updated');
    else {
      report.count('skipped');
      report.row({ key, outcome: 'skipped', reason: `The CRM no longer has lead ${step.leadId}.` });
    }
  } catch (thrown) {
    context.signal.throwIfAborted();
    const error = asServiceError(thrown);
    if (error.transient || error.code === 'internal-error') throw thrown;
    report.count('failed');
    report.row({ key, outcome: 'failed', reason: error.message });
  }
}
