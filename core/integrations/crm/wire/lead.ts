/** Leads, product rows and comments in the CRM's form, both to read and to write. */
import { z } from 'zod';
import { picked, rowOf } from '../../kit/row.ts';
import type { LeadConfig } from '../config.ts';
import { CrmOutcome } from '../types.ts';
import { Id, IdOrNull, Money, mapOf, Semantic, Text, TextOrNull, Time, TimeOrNull, YesNo } from './scalars.ts';

/** The entity type of `crm.item.*`. */
export const leadEntityType = 1;

/** Our name → the CRM's, for text fields. */
const textNames = {
  title: 'title',
  firstName: 'name',
  lastName: 'lastName',
  status: 'stageId',
  source: 'sourceId',
  sourceDescription: 'sourceDescription',
  comments: 'comments',
  amount: 'opportunity',
  currency: 'currencyId',
  originatorId: 'originatorId',
  originId: 'originId',
} as const;

const utmNames = {
  source: 'utmSource',
  medium: 'utmMedium',
  campaign: 'utmCampaign',
  term: 'utmTerm',
  content: 'utmContent',
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
  firstName: text.nullable().describe('First name.'),
  lastName: text.nullable().describe('Last name.'),
  status: z.string().max(50).describe('Such as NEW, IN_PROCESS, PROCESSED, JUNK, or one of the account’s own.'),
  source: z.string().max(50).nullable().describe('The CRM’s name of the source, such as WEB.'),
  sourceDescription: text.nullable().describe('More about the source.'),
  assignedUserId: z.int().min(1).describe('The responsible CRM user.'),
  phones: z.array(z.string().max(100)).max(20).describe('Phone numbers; added to the existing ones.'),
  emails: z.array(z.string().max(320)).max(20).describe('E-mail addresses; added to the existing ones.'),
  comments: text.nullable().describe('Comment of the lead.'),
  amount: z
    .string()
    .regex(/^\d{1,15}(\.\d{1,2})?$/, 'must be a decimal of at most 15 digits before the point, such as 1250000.00')
    .nullable()
    .describe('Expected amount, decimal.'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code')
    .nullable()
    .describe('ISO 4217.'),
  utm: z
    .object({
      source: text.nullable().describe('The CRM’s name of the source, such as WEB.'),
      medium: text.nullable().describe('Such as `social`.'),
      campaign: text.nullable().describe('Name of the campaign.'),
      term: text.nullable().describe('Search term.'),
      content: text.nullable().describe('Variant of the advertisement.'),
    })
    .partial()
    .describe('Campaign parameters of the page.'),
  originatorId: z.string().max(255).nullable().describe('The system in which the lead originated.'),
  originId: z.string().max(255).nullable().describe('Its id there.'),
  country: text.nullable().describe('ISO 3166-1 code of the phone number’s country.'),
  dncStatus: text.nullable().describe('Status in the do-not-call registry.'),
  interestedLocations: text.nullable().describe('Places that the person is interested in.'),
  matchedAgent: text.nullable().describe('The agent found for the lead.'),
  activitySummary: text.nullable().describe('What the person did on the portal.'),
  marketingConsent: z.boolean().nullable().describe('Whether the person agreed to marketing.'),
  page: text.nullable().describe('URL of the page with the enquiry.'),
};

/** Null empties a field. Phones and e-mails are appended to existing ones. */
export const LeadChange = z.object({ title: text.min(1).describe('Title in the CRM’s lists.'), ...fields }).partial();
export type LeadChange = z.infer<typeof LeadChange>;
export const NewLead = z.object({ ...z.object(fields).partial().shape, title: text.min(1) });
export type NewLead = z.infer<typeof NewLead>;

/** Fields with other names in each account; a value of another type is no value. */
const CustomText = z.preprocess(text => TextOrNull.safeParse(text).data ?? null, z.string().nullable());
const CustomFlag = z.preprocess(flag => YesNo.safeParse(flag).data ?? false, z.boolean());

export const Lead = z.object({
  id: Id.describe('The lead’s id.'),
  title: Text.describe('Title in the CRM’s lists.'),
  firstName: TextOrNull.describe('First name.'),
  lastName: TextOrNull.describe('Last name.'),
  status: Text.describe('The CRM’s name, such as NEW or IN_PROCESS.'),
  outcome: CrmOutcome.describe('What became of the lead.'),
  source: TextOrNull.describe('The CRM’s name of the source, such as WEB.'),
  sourceDescription: TextOrNull.describe('More about the source.'),
  assignedUserId: IdOrNull.describe('The responsible CRM user.'),
  phones: z.array(z.string()).describe('Phone numbers.'),
  emails: z.array(z.string()).describe('E-mail addresses.'),
  comments: TextOrNull.describe('Comment of the lead.'),
  amount: Money.describe('Decimal.'),
  currency: TextOrNull.describe('ISO 4217.'),
  utm: z
    .object({
      source: TextOrNull.describe('The CRM’s name of the source, such as WEB.'),
      medium: TextOrNull.describe('Such as `social`.'),
      campaign: TextOrNull.describe('Name of the campaign.'),
      term: TextOrNull.describe('Search term.'),
      content: TextOrNull.describe('Variant of the advertisement.'),
    })
    .describe('Campaign parameters of the page.'),
  originatorId: TextOrNull.describe('The system that created the lead.'),
  originId: TextOrNull.describe('The lead’s id in that system.'),
  country: CustomText.describe('ISO 3166-1 code of the phone number’s country.'),
  dncStatus: CustomText.describe('Status in the do-not-call registry.'),
  interestedLocations: CustomText.describe('Places that the person is interested in.'),
  matchedAgent: CustomText.describe('The agent found for the lead.'),
  activitySummary: CustomText.describe('What the person did on the portal.'),
  page: CustomText.describe('The page with the enquiry.'),
  marketingConsent: CustomFlag.describe('Whether the person agreed to marketing.'),
  createdAt: Time.describe('When the lead was created.'),
  modifiedAt: Time.describe('When the lead was last changed.'),
  closedAt: TimeOrNull.describe('When the lead was closed; null while it is open.'),
});
export type Lead = z.output<typeof Lead>;

export function wireLead(customNames: CustomNames, consentName: string) {
  const names = {
    id: 'id',
    assignedUserId: 'assignedById',
    createdAt: 'createdTime',
    modifiedAt: 'updatedTime',
    closedAt: 'dateClosed',
    marketingConsent: consentName,
    ...textNames,
    ...customNames,
  };
  return rowOf(Lead, row => ({
    ...picked(row, names),
    outcome: Semantic.parse(row.stageSemanticId),
    phones: contactsOf(row.fm, 'PHONE'),
    emails: contactsOf(row.fm, 'EMAIL'),
    utm: picked(row, utmNames),
  }));
}

const Multifields = z.array(z.object({ typeId: z.string(), value: z.string() }));

/** @returns undefined for a value of another form */
const contactsOf = (multifields: unknown, type: string) =>
  Multifields.safeParse(multifields ?? [])
    .data?.filter(({ typeId }) => typeId === type)
    .map(({ value }) => value);

/** The CRM's fields for a new lead or a change. */
export function leadFields(names: CustomNames, consentName: string, lead: LeadChange): Record<string, unknown> {
  const { utm = {}, phones, emails, amount, assignedUserId, marketingConsent } = lead;
  const contacts = [...(phones ?? []).map(workContact('PHONE')), ...(emails ?? []).map(workContact('EMAIL'))];
  return {
    ...renamed(textNames, lead),
    ...renamed(utmNames, utm),
    ...renamed(names, lead),
    // Otherwise the CRM calculates the amount from the product rows.
    ...(amount !== undefined && { isManualOpportunity: yesNo(amount !== null) }),
    ...(assignedUserId !== undefined && { assignedById: assignedUserId }),
    ...(contacts.length > 0 && { fm: contacts }),
    ...(marketingConsent !== undefined && { [consentName]: yesNo(marketingConsent === true) }),
  };
}

/** The CRM stores any other value as N (apidocs.bitrix24.com, CRM object fields). */
const yesNo = (is: boolean): 'Y' | 'N' => (is ? 'Y' : 'N');

const workContact = (typeId: 'PHONE' | 'EMAIL') => (value: string) => ({ typeId, valueType: 'WORK', value });

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

export const ProductRow = z.object({
  id: Id.describe('The row’s id.'),
  productId: IdOrNull.describe('Null for a row that is not from the catalogue.'),
  name: Text.describe('Name of the product.'),
  price: Money.describe('Decimal, per unit.'),
  quantity: z.coerce.number().describe('Number of units.'),
  discount: Money.describe('Decimal, per unit.'),
  taxRate: z.preprocess(rate => (rate == null ? null : Number(rate)), z.number().nullable()).describe('In percent.'),
  taxIncluded: z.preprocess(value => value ?? null, YesNo).describe('Whether the price includes the tax.'),
  measure: TextOrNull.describe('The unit.'),
});
export type ProductRow = z.output<typeof ProductRow>;

const productRowNames = {
  id: 'id',
  productId: 'productId',
  name: 'productName',
  price: 'price',
  quantity: 'quantity',
  discount: 'discountSum',
  taxRate: 'taxRate',
  taxIncluded: 'taxIncluded',
  measure: 'measureName',
};
export const WireProductRow = rowOf(ProductRow, row => picked(row, productRowNames));

export const WireComment = z
  // Only id and text find an earlier comment of ours: other odd fields must not hide it.
  .object({ ID: Id, AUTHOR_ID: IdOrNull.catch(null), COMMENT: Text.catch(''), CREATED: Time.catch(new Date(0)) })
  .transform(row => ({ id: row.ID, authorId: row.AUTHOR_ID, text: row.COMMENT, createdAt: row.CREATED }));
export type LeadComment = z.output<typeof WireComment>;
