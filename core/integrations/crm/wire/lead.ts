/** Leads, product rows and comments in the CRM's form, both to read and to write. */
import { z } from 'zod';
import type { LeadConfig } from '../config.ts';
import { Id, IdOrNull, Money, mapOf, Semantic, Text, TextOrNull, Time, TimeOrNull, YesNo } from './scalars.ts';

/** Our name → the CRM's, for text fields. */
const textNames = {
  title: 'TITLE',
  firstName: 'NAME',
  lastName: 'LAST_NAME',
  status: 'STATUS_ID',
  source: 'SOURCE_ID',
  sourceDescription: 'SOURCE_DESCRIPTION',
  comments: 'COMMENTS',
  amount: 'OPPORTUNITY',
  currency: 'CURRENCY_ID',
  originatorId: 'ORIGINATOR_ID',
  originId: 'ORIGIN_ID',
} as const;

const utmNames = {
  source: 'UTM_SOURCE',
  medium: 'UTM_MEDIUM',
  campaign: 'UTM_CAMPAIGN',
  term: 'UTM_TERM',
  content: 'UTM_CONTENT',
} as const;

/** The custom fields, whose names differ between CRM accounts. */
export const customNames = (config: LeadConfig) => ({
  country: config.CRM_LEAD_COUNTRY_FIELD,
  dncStatus: config.CRM_LEAD_DNC_FIELD,
  interestedLocations: config.CRM_LEAD_LOCATIONS_FIELD,
  matchedAgent: config.CRM_LEAD_AGENT_FIELD,
  activitySummary: config.CRM_LEAD_ACTIVITY_FIELD,
  page: config.CRM_LEAD_PAGE_FIELD,
});
export type CustomNames = ReturnType<typeof customNames>;

const text = z.string().max(10_000);
const fields = {
  firstName: text.nullable(),
  lastName: text.nullable(),
  status: z.string().max(50).describe('Such as NEW, IN_PROCESS, PROCESSED, JUNK, or one of the account’s own.'),
  source: z.string().max(50).nullable(),
  sourceDescription: text.nullable(),
  assignedUserId: z.int().min(1),
  phones: z.array(z.string().max(100)).max(20),
  emails: z.array(z.string().max(320)).max(20),
  comments: text.nullable(),
  amount: z
    .string()
    .regex(/^\d{1,15}(\.\d{1,2})?$/, 'must be a decimal of at most 15 digits before the point, such as 1250000.00')
    .nullable(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code')
    .nullable(),
  utm: z
    .object({
      source: text.nullable(),
      medium: text.nullable(),
      campaign: text.nullable(),
      term: text.nullable(),
      content: text.nullable(),
    })
    .partial(),
  originatorId: z.string().max(255).nullable().describe('The system in which the lead originated.'),
  originId: z.string().max(255).nullable().describe('Its id there.'),
  country: text.nullable().describe('ISO 3166-1 code of the phone number’s country.'),
  dncStatus: text.nullable(),
  interestedLocations: text.nullable(),
  matchedAgent: text.nullable(),
  activitySummary: text.nullable(),
  marketingConsent: z.boolean().nullable(),
  page: text.nullable().describe('URL of the page with the enquiry.'),
};

/** Null empties a field. Phones and e-mails are appended to existing ones. */
export const LeadChange = z.object({ title: text.min(1), ...fields }).partial();
export type LeadChange = z.infer<typeof LeadChange>;
export const NewLead = z.object({ ...z.object(fields).partial().shape, title: text.min(1) });
export type NewLead = z.infer<typeof NewLead>;

export type Lead = z.output<ReturnType<typeof wireLead>>;

const Contacts = z
  .array(z.object({ VALUE: z.string() }))
  .default([])
  .transform(rows => rows.map(row => row.VALUE));

const plain = z.object({
  ID: Id,
  TITLE: Text,
  NAME: TextOrNull,
  LAST_NAME: TextOrNull,
  STATUS_ID: Text,
  STATUS_SEMANTIC_ID: Semantic,
  SOURCE_ID: TextOrNull,
  SOURCE_DESCRIPTION: TextOrNull,
  ASSIGNED_BY_ID: IdOrNull.default(null),
  PHONE: Contacts,
  EMAIL: Contacts,
  COMMENTS: TextOrNull,
  OPPORTUNITY: Money,
  CURRENCY_ID: TextOrNull,
  ORIGINATOR_ID: TextOrNull,
  ORIGIN_ID: TextOrNull,
  UTM_SOURCE: TextOrNull,
  UTM_MEDIUM: TextOrNull,
  UTM_CAMPAIGN: TextOrNull,
  UTM_TERM: TextOrNull,
  UTM_CONTENT: TextOrNull,
  DATE_CREATE: Time,
  DATE_MODIFY: Time,
  DATE_CLOSED: TimeOrNull,
});

export const wireLead = (names: CustomNames, consentName: string) =>
  z.looseObject(plain.shape).transform(row => ({
    id: row.ID,
    title: row.TITLE,
    firstName: row.NAME,
    lastName: row.LAST_NAME,
    status: row.STATUS_ID,
    outcome: row.STATUS_SEMANTIC_ID,
    source: row.SOURCE_ID,
    sourceDescription: row.SOURCE_DESCRIPTION,
    assignedUserId: row.ASSIGNED_BY_ID,
    phones: row.PHONE,
    emails: row.EMAIL,
    comments: row.COMMENTS,
    amount: row.OPPORTUNITY,
    currency: row.CURRENCY_ID,
    utm: {
      source: row.UTM_SOURCE,
      medium: row.UTM_MEDIUM,
      campaign: row.UTM_CAMPAIGN,
      term: row.UTM_TERM,
      content: row.UTM_CONTENT,
    },
    originatorId: row.ORIGINATOR_ID,
    originId: row.ORIGIN_ID,
    country: customText(row[names.country]),
    dncStatus: customText(row[names.dncStatus]),
    interestedLocations: customText(row[names.interestedLocations]),
    matchedAgent: customText(row[names.matchedAgent]),
    activitySummary: customText(row[names.activitySummary]),
    page: customText(row[names.page]),
    marketingConsent: YesNo.catch(false).parse(row[consentName] ?? null),
    createdAt: row.DATE_CREATE,
    modifiedAt: row.DATE_MODIFY,
    closedAt: row.DATE_CLOSED,
  }));

const customText = (value: unknown): string | null => TextOrNull.catch(null).parse(value);

/** The CRM's fields for a new lead or a change. */
export function leadFields(names: CustomNames, consentName: string, lead: LeadChange): Record<string, unknown> {
  const { utm = {}, phones, emails, assignedUserId, marketingConsent } = lead;
  return {
    ...renamed(textNames, lead),
    ...renamed(utmNames, utm),
    ...renamed(names, lead),
    ...(assignedUserId !== undefined && { ASSIGNED_BY_ID: assignedUserId }),
    ...(phones && { PHONE: phones.map(workContact) }),
    ...(emails && { EMAIL: emails.map(workContact) }),
    ...(marketingConsent !== undefined && { [consentName]: marketingConsent === true ? 1 : 0 }),
  };
}

const workContact = (value: string) => ({ VALUE: value, VALUE_TYPE: 'WORK' });

/** The CRM empties a field that is set to ''. */
const renamed = (names: Readonly<Record<string, string>>, values: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([word, value]) => {
      const name = names[word];
      return name !== undefined && (value === null || typeof value === 'string') ? [[name, value ?? '']] : [];
    }),
  );

export const WireDuplicates = mapOf(z.array(Id)).transform(({ LEAD = [], CONTACT = [], COMPANY = [] }) => ({
  LEAD,
  CONTACT,
  COMPANY,
}));

export const WireProductRow = z
  .object({
    ID: Id,
    PRODUCT_ID: IdOrNull,
    PRODUCT_NAME: Text,
    PRICE: Money,
    QUANTITY: z.coerce.number(),
    DISCOUNT_SUM: Money,
    TAX_RATE: z.coerce.number().nullable().default(null),
    TAX_INCLUDED: YesNo.default(false),
    MEASURE_NAME: TextOrNull,
  })
  .transform(row => ({
    id: row.ID,
    /** Null: not from the catalogue. */
    productId: row.PRODUCT_ID,
    name: row.PRODUCT_NAME,
    price: row.PRICE,
    quantity: row.QUANTITY,
    discount: row.DISCOUNT_SUM,
    /** Percent. */
    taxRate: row.TAX_RATE,
    taxIncluded: row.TAX_INCLUDED,
    measure: row.MEASURE_NAME,
  }));
export type ProductRow = z.output<typeof WireProductRow>;

export const WireComment = z
  .object({ ID: Id, AUTHOR_ID: IdOrNull.default(null), COMMENT: Text, CREATED: Time })
  .transform(row => ({ id: row.ID, authorId: row.AUTHOR_ID, text: row.COMMENT, createdAt: row.CREATED }));
export type LeadComment = z.output<typeof WireComment>;
