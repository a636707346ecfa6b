/** A new lead in requests: the same members for leads of programs and of landing pages. */
import { z } from 'zod';
import { EmailInput, PhoneInput, shortText } from '../../http/input-fields.ts';

const UtmInput = z
  .object({
    source: shortText.optional().describe('Such as `instagram`.'),
    medium: shortText.optional().describe('Such as `social`.'),
    campaign: shortText.optional().describe('Name of the campaign.'),
    term: shortText.optional().describe('Search term.'),
    content: shortText.optional().describe('Variant of the advertisement.'),
  })
  .transform(
    (utm): Record<string, string> =>
      Object.fromEntries(Object.entries(utm).flatMap(([name, value]) => (value ? [[name, value]] : []))),
  );

export const leadInput = {
  title: shortText.min(1).optional().describe('Title in the CRM’s lists.'),
  name: shortText.min(1).max(200).optional().describe('The person; instead of `firstName` and `lastName`.'),
  firstName: shortText.optional().describe('First name.'),
  lastName: shortText.optional().describe('Last name.'),
  phone: PhoneInput.optional().describe('Instead of `phones`.'),
  phones: z.array(PhoneInput).max(20).optional().describe('Phone numbers of the person.'),
  email: EmailInput.optional().describe('Instead of `emails`.'),
  emails: z.array(EmailInput).max(20).optional().describe('E-mail addresses of the person.'),
  message: z.string().trim().max(5_000).optional().describe('Of the person; instead of `comments`.'),
  comments: z.string().max(10_000).optional().describe('Comment of the lead in the CRM.'),
  page: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(2_048)
    .optional()
    .describe('The page with the enquiry.'),
  status: shortText.max(50).optional().describe('The CRM’s name; absent: its first status.'),
  source: shortText.max(50).optional().describe('The CRM’s name, such as WEB.'),
  sourceDescription: shortText.optional().describe('More about the source.'),
  assignedUserId: z.int().min(1).optional().describe('The responsible CRM user; absent: as the CRM’s rules assign it.'),
  amount: z
    .string()
    .regex(/^\d{1,15}(\.\d{1,2})?$/, 'must be a decimal of at most 15 digits before the point, such as 1250000.00')
    .optional()
    .describe('Expected amount, decimal.'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code')
    .optional()
    .describe('ISO 4217.'),
  utm: UtmInput.optional().describe('Campaign parameters of the page.'),
};

const otherForms = { name: ['firstName', 'lastName'], phone: ['phones'], email: ['emails'], message: ['comments'] };

export function rejectBothForms(lead: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  for (const [name, others] of Object.entries(otherForms))
    for (const other of lead[name] === undefined ? [] : others.filter(each => lead[each] !== undefined))
      context.addIssue({ code: 'custom', path: [name], message: `must not be sent together with \`${other}\`` });
}

type LeadInput = Omit<z.output<z.ZodObject<typeof leadInput>>, 'title'>;

/** The lead as the CRM takes it. */
export function leadOf<L extends LeadInput>({ name, phone, email, message, ...lead }: L) {
  const [first = '', ...others] = name?.split(/\s+/) ?? [];
  return {
    ...lead,
    ...(name !== undefined && { firstName: first, lastName: others.join(' ') }),
    phones: lead.phones ?? (phone === undefined ? [] : [phone]),
    emails: lead.emails ?? (email === undefined ? [] : [email]),
    comments: message ?? lead.comments,
  };
}
