/** Leads from landing pages: a person who asked before gets a note on the open lead instead of another lead. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Lead } from '../../integrations/crm/leads.ts';
import type { Database } from '../../postgres/client.ts';
import { withLock } from '../../postgres/lock.ts';
import { createLeadOnce, findOpenLead, type LeadParts } from './create-lead.ts';

export interface LandingPageLead {
  name: string;
  /** E.164 */
  phone: string | undefined;
  email: string | undefined;
  message: string | undefined;
  page: string | undefined;
  utm: Readonly<Record<string, string>>;
}

export interface TakenLead {
  id: number;
  duplicateOf: number | null;
}

/**
 * Enquiries of one person come in line, so that two at the same moment do not become two leads.
 * @param key what makes it the same enquiry
 */
export function takeLandingPageLead(
  parts: LeadParts & { database: Database },
  key: string,
  enquiry: LandingPageLead,
): Promise<TakenLead> {
  const person = createHash('sha256')
    .update(enquiry.phone ?? enquiry.email ?? '')
    .digest('hex');
  return withLock(parts.database, `landing-page-lead:${person}`, async () => {
    const open = await findOpenLead(parts.crm, contactsOf(enquiry));
    if (open) {
      await noteEnquiry(parts, key, open, enquiry);
      return { id: open.id, duplicateOf: open.id };
    }
    return { id: await createLeadOnce(parts, key, newLead(enquiry)), duplicateOf: null };
  });
}

const contactsOf = ({ phone, email }: LandingPageLead) => ({
  phones: phone === undefined ? [] : [phone],
  emails: email === undefined ? [] : [email],
});

function newLead(enquiry: LandingPageLead) {
  const { name, message, page, utm } = enquiry;
  const [firstName = '', ...rest] = name.split(/\s+/);
  return {
    title: `Landing page: ${name}`,
    firstName,
    lastName: rest.join(' '),
    ...contactsOf(enquiry),
    source: 'WEB',
    sourceDescription: page ?? 'Landing page',
    ...(message !== undefined && { comments: message }),
    ...(page !== undefined && { page }),
    utm,
    marketingConsent: true,
  };
}

async function noteEnquiry({ crm, effects }: LeadParts, key: string, open: Lead, enquiry: LandingPageLead) {
  const mark = `Enquiry ${createHash('sha256').update(key).digest('hex').slice(0, 12)}`;
  await effects.once({
    key: `enquiry:${key}`,
    kind: 'lead-comment',
    system: 'crm',
    result: z.object({ commentId: z.int() }),
    lookUp: async () => {
      const found = (await crm.leads.comments(open.id)).find(({ text }) => text.includes(mark));
      return found && { commentId: found.id };
    },
    act: async () => ({ commentId: await crm.leads.addComment(open.id, commentOf(enquiry, mark)) }),
  });
}

const commentOf = ({ message, page, utm }: LandingPageLead, mark: string): string =>
  [
    `Asked again on ${page ?? 'a landing page'}.`,
    message,
    utm.campaign && `Campaign: ${utm.campaign}`,
    `(${mark})`,
  ]
    .filter(Boolean)
    .join('\n');
