/** The words for what the CRM holds, shared by its connector, the local copy and the operations. */
import { z } from 'zod';

/** Levels of the location tree, from the top. */
export const CrmLocationType = z.enum(['city', 'community', 'sub-community', 'property']);
export type CrmLocationType = z.infer<typeof CrmLocationType>;

/** What has become of a lead or a deal. */
export const CrmOutcome = z.enum(['open', 'won', 'lost']);
export type CrmOutcome = z.infer<typeof CrmOutcome>;

/** Sales of new projects by their developers, and of homes by their owners. */
export const CrmDealKind = z.enum(['primary', 'secondary']);
export type CrmDealKind = z.infer<typeof CrmDealKind>;
