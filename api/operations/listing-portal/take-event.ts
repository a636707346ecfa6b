import { z } from 'zod';
import { notifyOfAction } from '../../../core/domain/portal-events/listing-actions.ts';
import { insertEvent } from '../../../core/domain/portal-events/portal-events.ts';
import { ourEvent, type PortalEvent, WireEvent } from '../../../core/integrations/listing-portal/event.ts';
import listingPortalSystem from '../../../core/integrations/listing-portal/system.ts';
import { insertJob } from '../../../core/jobs/repository/insert.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { schedulerClientId } from '../../../core/schedules/schedule.ts';
import { portalEvents } from '../../../core/telemetry/meter.ts';
import job from '../../../workers/portal-leads/contract.ts';
import { defineOperation, ok } from '../../http/operation.ts';
import type { ApiServices } from '../../services.ts';

/** Shorter than the retention of events, so that a replayed one is known. The portal repeats failed deliveries for an unknown time. */
const maxAgeDays = 7;
/** Clocks differ. */
const maxAheadMs = 5 * 60_000;

const Outcome = z.enum(['accepted', 'repeated', 'ignored']);

export default defineOperation({
  summary:
    'Take an event of the listing portal: an enquiry becomes a lead in the CRM, a problem of a listing a notification. Each event is stored once before the answer; events of other types are acknowledged and counted.',
  id: 'listingPortal.takeEvent',
  route: 'POST /webhooks/listing-portal',
  // The portal signs the body.
  scope: null,
  style: 'webhook',
  request: { body: WireEvent },
  answers: {
    200: {
      description: 'The event is stored, or was before, or is not used.',
      schema: z
        .object({ event: Outcome.describe('`repeated`: an earlier delivery stored it; `ignored`: another type.') })
        .meta({ examples: [{ event: 'accepted' }] }),
    },
  },
  problems: {
    forbidden: `The signature is not valid, or the event is older than ${maxAgeDays} days.`,
    'system-not-configured': 'LISTING_PORTAL_WEBHOOK_SECRET is not set.',
    'service-unavailable': 'The service cannot work at present, for instance without its database.',
  },
  async handle({ body }, { services, request: { headers, rawBody } }) {
    const portal = listingPortalSystem.client(services.systems);
    if (!rawBody || !portal.hasSent({ headers, body: rawBody }))
      throw new ServiceError('forbidden', 'The signature is not valid: sign the body with the secret of the webhook.');
    requireRecent(new Date(body.timestamp));
    const event = ourEvent(body);
    const outcome = event ? await store(event, services) : 'ignored';
    portalEvents.inc({ type: event?.type ?? 'other', outcome });
    return ok({ event: outcome });
  },
});

function requireRecent(occurredAt: Date): void {
  const ageMs = Date.now() - occurredAt.getTime();
  if (ageMs <= maxAgeDays * 86_400_000 && ageMs >= -maxAheadMs) return;
  throw new ServiceError(
    'forbidden',
    `\`timestamp\` must be within the last ${maxAgeDays} days: the event is a replay.`,
  );
}

async function store(event: PortalEvent, services: ApiServices): Promise<z.infer<typeof Outcome>> {
  const { database, notify, jobs } = services;
  if (event.type === 'listing.action')
    return await database.transaction(async db => {
      if (!(await insertEvent(db, event))) return 'repeated';
      await notifyOfAction(db, notify, event);
      return 'accepted';
    });
  const submission = { payload: { eventId: event.id }, clientId: schedulerClientId };
  const stored = await jobs.submitWith(job, submission, newJob =>
    database.transaction(async db => {
      const isNew = await insertEvent(db, event);
      return { job: isNew ? (await insertJob(db, newJob)).job : undefined };
    }),
  );
  return stored.job ? 'accepted' : 'repeated';
}
