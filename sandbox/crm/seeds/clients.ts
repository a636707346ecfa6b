/** Seed data: leads, contacts and product rows of leads. */
import { people } from '../../kit/people.ts';
import { createRandom, type Random } from '../../kit/random.ts';
import type { Row } from '../fields.ts';
import { leadStatuses } from '../pipelines.ts';
import { ascendingTimes, hours, portalTime } from '../portal-time.ts';

const leadCount = 600;
const firstNames = ['Amal', 'Bader', 'Carla', 'Dmitri', 'Eva', 'Farah', 'George', 'Huda', 'Ivan', 'Jana', 'Kamal', 'Leila', 'Marco', 'Nour', 'Omar', 'Peter', 'Rita', 'Sami', 'Tamer', 'Wei', 'Yara', 'Zoe']; // biome-ignore format: names
const lastNames = ['Abbas', 'Brown', 'Chen', 'Demir', 'El-Sayed', 'Fischer', 'Gupta', 'Hamdan', 'Ivanov', 'Jones', 'Karam', 'Lee', 'Mansour', 'Nguyen', 'Orlov', 'Pereira', 'Rahman', 'Singh', 'Toma', 'Zhang']; // biome-ignore format: names
const campaigns = ['spring-launch', 'creek-views', 'marina-resale', 'investor-night'];

export function seedLeads(): Row[] {
  const random = createRandom('crm leads');
  const agents = people().filter(({ brn }) => brn !== undefined);
  const clients: Client[] = [];
  let id = 1_000;
  return ascendingTimes(random, leadCount).map(created => {
    id += random.whole(1, 2);
    // One lead in twelve repeats the phone or e-mail of an earlier lead.
    const client = clients.length > 20 && random.chance(0.08) ? random.pick(clients) : drawClient(random, id);
    clients.push(client);
    return leadOf(random, client, { id, created, assignedUserId: random.pick(agents).crmId });
  });
}

interface Client {
  firstName: string;
  lastName: string;
  phone: string | undefined;
  email: string | undefined;
}

function drawClient(random: Random, id: number): Client {
  const firstName = random.pick(firstNames);
  const lastName = random.pick(lastNames);
  const phone = random.chance(0.8)
    ? `+97150${random.whole(1_000_000, 9_999_999)}`
    : `+${random.pick(['4477009', '79161', '919812'])}${random.whole(10_000, 99_999)}`;
  return {
    firstName,
    lastName,
    phone: random.chance(0.95) ? phone : undefined,
    email: random.chance(0.7) ? `${firstName}.${lastName}${id}@mail.example`.toLowerCase() : undefined,
  };
}

interface LeadFacts {
  id: number;
  created: number;
  assignedUserId: number;
}

function leadOf(random: Random, client: Client, { id, created, assignedUserId }: LeadFacts): Row {
  const status = random.pick(leadStatuses);
  const isFromCampaign = random.chance(0.6);
  return {
    ID: id,
    TITLE: `${client.firstName} ${client.lastName}: ${random.pick(['enquiry', 'viewing', 'call back', 'brochure'])}`,
    HONORIFIC: null,
    NAME: client.firstName,
    SECOND_NAME: null,
    LAST_NAME: client.lastName,
    COMPANY_TITLE: null,
    COMPANY_ID: null,
    CONTACT_ID: null,
    SOURCE_ID: isFromCampaign ? 'UC_LANDING' : random.pick(['WEB', 'UC_PORTAL', 'CALL']),
    SOURCE_DESCRIPTION: null,
    STATUS_ID: status.id,
    STATUS_DESCRIPTION: null,
    STATUS_SEMANTIC_ID: status.semantics,
    POST: null,
    ADDRESS: null,
    ADDRESS_CITY: null,
    ADDRESS_COUNTRY: null,
    COMMENTS: random.chance(0.2) ? 'Prefers a high floor.' : null,
    CURRENCY_ID: 'AED',
    OPPORTUNITY: random.chance(0.5) ? random.whole(600, 9_000) * 1_000 : 0,
    IS_MANUAL_OPPORTUNITY: 'N',
    IS_RETURN_CUSTOMER: 'N',
    HAS_PHONE: client.phone ? 'Y' : 'N',
    HAS_EMAIL: client.email ? 'Y' : 'N',
    OPENED: 'Y',
    ASSIGNED_BY_ID: assignedUserId,
    CREATED_BY_ID: 1,
    MODIFY_BY_ID: assignedUserId,
    DATE_CREATE: portalTime(created),
    DATE_MODIFY: portalTime(created + hours(3)),
    DATE_CLOSED: status.semantics === 'P' ? '' : portalTime(created + hours(72)),
    ORIGINATOR_ID: null,
    ORIGIN_ID: null,
    UTM_SOURCE: isFromCampaign ? random.pick(['google', 'meta', 'newsletter']) : null,
    UTM_MEDIUM: isFromCampaign ? random.pick(['cpc', 'social', 'email']) : null,
    UTM_CAMPAIGN: isFromCampaign ? random.pick(campaigns) : null,
    UTM_CONTENT: null,
    UTM_TERM: null,
    UF_CRM_CONSENT: random.chance(0.8),
    UF_CRM_PAGE_URL: isFromCampaign ? 'https://meridianpalm.example/offers' : '',
    UF_CRM_DNC_STATUS: '',
    UF_CRM_COUNTRY: '',
    UF_CRM_LOCATIONS: '',
    UF_CRM_MATCHED_AGENT: '',
    UF_CRM_ACTIVITY_SUMMARY: '',
    ...channels(id, client),
  };
}

export function seedContacts(): Row[] {
  const random = createRandom('crm contacts');
  return ascendingTimes(random, 200).map((created, index) => {
    const id = (index + 1) * 2;
    const client = drawClient(random, 10_000 + id);
    return {
      ID: id,
      NAME: client.firstName,
      SECOND_NAME: null,
      LAST_NAME: client.lastName,
      TYPE_ID: 'CLIENT',
      SOURCE_ID: 'CALL',
      COMPANY_ID: null,
      LEAD_ID: null,
      POST: null,
      COMMENTS: null,
      HAS_PHONE: client.phone ? 'Y' : 'N',
      HAS_EMAIL: client.email ? 'Y' : 'N',
      OPENED: 'Y',
      EXPORT: 'Y',
      ASSIGNED_BY_ID: 1,
      CREATED_BY_ID: 1,
      MODIFY_BY_ID: 1,
      DATE_CREATE: portalTime(created),
      DATE_MODIFY: portalTime(created),
      ORIGINATOR_ID: null,
      ORIGIN_ID: null,
      ...channels(id, client),
    };
  });
}

function channels(id: number, { phone, email }: Client) {
  const entry = (typeId: string, value: string, index: number) => [
    { ID: String(id * 10 + index), VALUE_TYPE: 'WORK', VALUE: value, TYPE_ID: typeId },
  ];
  return { PHONE: phone ? entry('PHONE', phone, 0) : [], EMAIL: email ? entry('EMAIL', email, 1) : [] };
}

/** Every third lead has one to three product rows; a fifth of those rows is not in the catalogue. */
export function seedProductRows() {
  const random = createRandom('crm product rows');
  return seedLeads()
    .filter((_lead, index) => index % 3 === 0)
    .map(({ ID: leadId }) => ({
      leadId,
      rows: Array.from({ length: random.whole(1, 3) }, (_none, index) => productRow(random, leadId, index)),
    }));
}

function productRow(random: Random, leadId: number, index: number): Record<string, unknown> {
  const productId = random.chance(0.2) ? 0 : random.whole(1, 40) * 2;
  const price = random.whole(600, 9_000) * 1_000;
  return {
    ID: String(leadId * 4 + index),
    OWNER_ID: String(leadId),
    OWNER_TYPE: 'L',
    PRODUCT_ID: productId,
    PRODUCT_NAME: productId === 0 ? 'Home that is not listed yet' : `Listing ${productId}`,
    ORIGINAL_PRODUCT_NAME: productId === 0 ? null : `Listing ${productId}`,
    PRODUCT_DESCRIPTION: null,
    PRICE: price,
    PRICE_EXCLUSIVE: price,
    PRICE_NETTO: price,
    PRICE_BRUTTO: price,
    PRICE_ACCOUNT: String(price),
    QUANTITY: 1,
    DISCOUNT_TYPE_ID: 2,
    DISCOUNT_RATE: 0,
    DISCOUNT_SUM: 0,
    TAX_RATE: random.chance(0.3) ? 5 : null,
    TAX_INCLUDED: 'N',
    CUSTOMIZED: 'Y',
    MEASURE_CODE: 796,
    MEASURE_NAME: 'pcs',
    SORT: (index + 1) * 10,
    TYPE: 1,
  };
}
