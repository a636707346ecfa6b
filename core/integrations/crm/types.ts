/** Enumerations of CRM records, shared by the connector, the mirror and the operations. */
import { z } from 'zod';

/** Levels of the location tree, top first. */
export const CrmLocationType = z.enum(['city', 'community', 'sub-community', 'property']);
export type CrmLocationType = z.infer<typeof CrmLocationType>;

/** State of a lead or a deal. */
export const CrmOutcome = z.enum(['open', 'won', 'lost']);
export type CrmOutcome = z.infer<typeof CrmOutcome>;

/** Primary: sold by the developer of a new project. Secondary: sold by the owner. */
export const CrmDealKind = z.enum(['primary', 'secondary']);
export type CrmDealKind = z.infer<typeof CrmDealKind>;
