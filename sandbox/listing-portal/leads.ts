/** `GET /v1/leads`: the enquiries about the firm's listings, of the last three months. */
import { z } from 'zod';
import { listings } from '../kit/listings.ts';
import { people } from '../kit/people.ts';
import type { Random } from '../kit/random.ts';
import { PageQuery, paged, parsed } from './locations.ts';
import { invalidInput } from './problem.ts';

export interface PortalLead {
  id: string;
  createdAt: string;
  channel: 'whatsapp' | 'email' | 'call';
  status: 'sent' | 'delivered' | 'read' | 'replied';
  entityType: 'listing' | 'project';
  publicProfile: { id: number };
  /** The listing that the enquiry is about. */
  listing?: { id: string; reference: string };
  project?: { id: string };
  responseLink: string;
  sender: { name: string; contacts: { type: 'phone' | 'email'; value: string }[] };
}

/**
 * About listings that the CRM has, listings that it lacks, and projects; each by another person.
 * @param number makes id and person unique
 */
export function newLead(random: Random, number: number): PortalLead {
  const listing = random.pick(listings());
  const agents = people().filter(({ brn, leftOn }) => brn !== undefined && leftOn === undefined);
  const chance = random.next();
  const id = String(70_000_000 + number);
  const digits = String(number).padStart(7, '0');
  const email = { type: 'email' as const, value: `Person.${number}@enquiries.example` };
  const phone = {
    type: 'phone' as const,
    value: random.pick([`+97150${digits}`, `050 ${digits}`, `0097150${digits}`]),
  };
  const channel = random.pick(['whatsapp', 'email', 'call'] as const);
  return {
    id,
    createdAt: new Date().toISOString(),
    channel,
    status: 'sent',
    entityType: chance < 0.9 ? 'listing' : 'project',
    publicProfile: { id: 90_000 + random.pick(agents).number },
    ...(chance < 0.75 && { listing: { id: listing.portalId, reference: listing.reference } }),
    ...(chance >= 0.75 && chance < 0.9 && { listing: { id: `01K${id}`, reference: `OLD-${number}` } }),
    ...(chance >= 0.9 && { project: { id: `project-${random.whole(1, 40)}` } }),
    responseLink: `https://portal.example/leads/${id}`,
    sender: { name: `Person ${number}`, contacts: channel === 'email' ? [email] : [phone] },
  };
}

const threeMonthsMs = 92 * 86_400_000;

const LeadsQuery = PageQuery.extend({
  perPage: z.coerce.number().int().min(1).max(50).default(50),
  createdAtFrom: z.iso.datetime({ offset: true }).optional(),
  createdAtTo: z.iso.datetime({ offset: true }).optional(),
  orderDirection: z.enum(['asc', 'desc']).default('desc'),
});

/** One enquiry in five has a date without a zone, one has no sender. */
function messyLead(lead: PortalLead): object {
  if (Number(lead.id) % 5 === 2) return { ...lead, createdAt: lead.createdAt.replace('Z', '') };
  return Number(lead.id) % 5 === 3 ? { ...lead, sender: null } : lead;
}

/** @param isMessy whether rows are served in odd forms */
export function listLeads(leads: readonly PortalLead[], query: unknown, isMessy: boolean): object {
  const { createdAtFrom: from, createdAtTo: to, orderDirection, ...paging } = parsed(LeadsQuery, query);
  if (from !== undefined && Date.now() - Date.parse(from) > threeMonthsMs)
    throw invalidInput([{ detail: 'must not be older than 3 months', pointer: '/createdAtFrom' }]);
  const found = leads
    .filter(({ createdAt: at }) => Date.parse(at) >= Date.parse(from ?? at) && Date.parse(at) <= Date.parse(to ?? at))
    .sort((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt));
  const { rows, pagination } = paged(orderDirection === 'asc' ? found : found.reverse(), paging);
  return { data: isMessy ? rows.map(messyLead) : rows, pagination };
}
