/** Environment variables of the kind `portal-leads`. */
import { z } from 'zod';
import { wholeNumber } from '../../core/runtime/config.ts';

export const PortalLeadsConfig = z.object({
  LISTING_PORTAL_FALLBACK_USER: wholeNumber(1, 1_000_000_000)
    .optional()
    .describe('CRM user for enquiries whose agent is not found; unset: as the CRM’s rules assign a lead.'),
});
