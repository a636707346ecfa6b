/** What a held run goes on with when a person releases it. */
import { z } from 'zod';
import { CrmPlan } from '../../core/domain/locations/plan-crm.ts';
import { PortalChanges } from './portal-changes.ts';

export const HeldPlan = z.discriminatedUnion('stage', [
  z.object({
    /** The CRM's own locations looked wrong as they were read; the rest is planned once that is settled. */
    stage: z.literal('crm-copy'),
    acquisition: z.unknown(),
  }),
  z.object({
    stage: z.literal('apply'),
    /** When the portal was read, and how many locations it had. */
    asOf: z.iso.datetime(),
    read: z.int(),
    portal: PortalChanges,
    /** Null for an update of the local copy only; `read`: locations that the CRM had. */
    crm: CrmPlan.extend({ read: z.int() }).nullable(),
  }),
]);
export type HeldPlan = z.infer<typeof HeldPlan>;
