/** Handles `portal-leads` jobs: one event, or the enquiries that no webhook brought. */
import { z } from 'zod';
import { createPortalEvents, type EnquiryEvent } from '../../core/domain/portal-events/portal-events.ts';
import crmSystem from '../../core/integrations/crm/system.ts';
import { callsMade } from '../../core/integrations/kit/call-context.ts';
import listingPortalSystem from '../../core/integrations/listing-portal/system.ts';
import { defineHandler, type JobContext } from '../../core/jobs/handler.ts';
import { wholeNumber } from '../../core/runtime/config.ts';
import { mapConcurrent } from '../../core/runtime/map-concurrent.ts';
import { unlessRejected } from '../../core/sync/rejected-row.ts';
import { startReport } from '../../core/sync/report.ts';
import { createSyncStates } from '../../core/sync/states.ts';
import type { WorkerServices } from '../services.ts';
import { type Agents, openAgents } from './agents.ts';
import job from './contract.ts';
import { takeEvent } from './take-event.ts';

type Payload = z.output<typeof job.payload>;

/** An enquiry may appear in the portal's list after its creation. */
const overlapMs = 60 * 60_000;
/** An account that is new to the service has enquiries that people have answered already. */
const firstReadMs = 24 * 60 * 60_000;
const maxConcurrentEnquiries = 4;
const syncKind = 'portal-leads';

export const PortalLeadsConfig = z.object({
  LISTING_PORTAL_FALLBACK_USER: wholeNumber(1, 1_000_000_000)
    .optional()
    .describe('CRM user for enquiries whose agent is not found; unset: as the CRM’s rules assign a lead.'),
});

export default defineHandler({
  job,
  config: PortalLeadsConfig,
  async open({ LISTING_PORTAL_FALLBACK_USER: fallback }, services: WorkerServices) {
    const agents = openAgents(services.systems, fallback);
    return {
      async handle(payload, context) {
        const parts = partsOf(services, agents);
        const { eventId } = payload;
        return {
          result: eventId === undefined ? await readMissed(parts, payload, context) : await takeStored(parts, eventId),
        };
      },
    };
  },
});

type Parts = ReturnType<typeof partsOf>;
const partsOf = ({ database, systems, effects }: WorkerServices, agents: Agents) => ({
  systems,
  effects,
  agents,
  get crm() {
    return crmSystem.client(systems);
  },
  events: createPortalEvents(database),
  states: createSyncStates(database),
});

async function takeStored(parts: Parts, eventId: string) {
  const report = startReport({ dryRun: false });
  report.count('read');
  const event = await parts.events.find(eventId);
  report.count(event ? await takeEvent(parts, event) : 'matched');
  return report.finish(callsMade());
}

async function readMissed(parts: Parts, payload: Payload, { signal, progress }: JobContext) {
  const { events, states, systems } = parts;
  const report = startReport(payload);
  const asOf = new Date();
  const last = (await states.read(syncKind))?.changedSince ?? new Date(asOf.getTime() - firstReadMs);
  const since = payload.since === undefined ? new Date(last.getTime() - overlapMs) : new Date(payload.since);
  const read = await listingPortalSystem.client(systems).enquiries(since);
  const missed = await events.missedOf(read);
  report.count('read', read.length);
  report.count('matched', read.length - missed.length);
  const onProgress = (done: number, total: number) => progress('enquiries', done, total, (100 * done) / total);
  await mapConcurrent(missed, { limit: maxConcurrentEnquiries, signal, onProgress }, async event => {
    if (payload.dryRun) report.countRow({ key: event.entityId, outcome: 'created', reason: aboutOf(event) });
    else
      await unlessRejected(event.entityId, { report, signal }, async () => {
        await events.storeRead(event);
        report.count(await takeEvent(parts, event));
      });
  });
  const finished = report.finish(callsMade());
  // A run with failed enquiries leaves the cursor: the next one reads them again.
  if (payload.since === undefined && !payload.dryRun && finished.failed === 0)
    await states.write(syncKind, { read: read.length, changedSince: asOf, asOf });
  return finished;
}

const aboutOf = ({ enquiry: { listingReference: listing } }: EnquiryEvent): string =>
  listing === null ? 'An enquiry without a listing.' : `An enquiry about listing ${listing}.`;
