/** Seed data: the firm's listings, a smart process with the owner of each. */
import { listings } from '../../kit/listings.ts';
import type { Row } from '../fields.ts';

const createdAt = '2026-01-12T09:00:00+03:00';

export const seedListings = (): Row[] =>
  listings().map(({ number, reference, agent }) => ({
    ID: number,
    TITLE: `Listing ${reference}`,
    XML_ID: '',
    CATEGORY_ID: 32,
    STAGE_ID: 'DT1226_32:NEW',
    OPENED: 'Y',
    ASSIGNED_BY_ID: agent.crmId,
    CREATED_BY: agent.crmId,
    UPDATED_BY: agent.crmId,
    CREATED_TIME: createdAt,
    UPDATED_TIME: createdAt,
    UF_CRM_10_REFERENCE: reference,
  }));
