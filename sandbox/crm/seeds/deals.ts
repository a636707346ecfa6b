/** Seed data: 3,200 deals in three pipelines. */
import { people } from '../../kit/people.ts';
import { createRandom, type Random } from '../../kit/random.ts';
import type { Row } from '../fields.ts';
import { dealPipelines, type Pipeline } from '../pipelines.ts';
import { ascendingTimes, hours, portalTime } from '../portal-time.ts';

const dealCount = 3_200;

export function seedDeals(): Row[] {
  const random = createRandom('crm deals');
  const agents = people().filter(({ brn }) => brn !== undefined);
  let id = 100;
  return ascendingTimes(random, dealCount).map(created => {
    id += random.whole(1, 3);
    return dealOf(random, id, created, random.pick(agents).crmId);
  });
}

function dealOf(random: Random, id: number, created: number, assignedUserId: number): Row {
  const pipeline = pipelineOf(random);
  const stage = random.pick(pipeline.stages);
  const closed = stage.semantics !== 'P';
  const endedAt = created + hours(random.whole(24, 24 * 90));
  return {
    ID: id,
    TITLE: `${pipeline.name} ${random.pick(['apartment', 'villa', 'townhouse', 'penthouse', 'office'])} #${id}`,
    TYPE_ID: random.pick(['SALE', 'COMPLEX', 'SERVICES']),
    CATEGORY_ID: pipeline.id,
    STAGE_ID: stage.id,
    STAGE_SEMANTIC_ID: stage.semantics,
    IS_NEW: stage.id.endsWith('NEW') ? 'Y' : 'N',
    PROBABILITY: null,
    CURRENCY_ID: random.chance(0.04) ? 'USD' : 'AED',
    OPPORTUNITY: amountOf(random),
    TAX_VALUE: null,
    IS_MANUAL_OPPORTUNITY: 'Y',
    COMPANY_ID: 0,
    CONTACT_ID: random.chance(0.8) ? random.whole(1, 200) * 2 : null,
    LEAD_ID: null,
    ASSIGNED_BY_ID: assignedUserId,
    CREATED_BY_ID: assignedUserId,
    MODIFY_BY_ID: assignedUserId,
    DATE_CREATE: portalTime(created),
    DATE_MODIFY: portalTime(closed ? endedAt : created + hours(5)),
    BEGINDATE: portalTime(created),
    CLOSEDATE: portalTime(endedAt),
    OPENED: 'Y',
    CLOSED: closed ? 'Y' : 'N',
    COMMENTS: random.chance(0.1) ? 'Client asked for a call in the evening.' : '',
    SOURCE_ID: random.pick(['WEB', 'UC_PORTAL', 'UC_EVENT', 'CALL']),
    SOURCE_DESCRIPTION: '',
    ORIGINATOR_ID: '',
    ORIGIN_ID: '',
    UTM_SOURCE: null,
    UTM_MEDIUM: null,
    UTM_CAMPAIGN: null,
    UTM_CONTENT: null,
    UTM_TERM: null,
    UF_CRM_REFERENCE: `MP-${pipeline.id === 0 ? 'O' : 'S'}-${random.whole(1000, 9999)}`,
    UF_CRM_PERMIT: random.chance(0.7) ? String(random.whole(7_100_000_000, 7_199_999_999)) : '',
  };
}

function pipelineOf(random: Random): Pipeline {
  const share = random.next();
  const found = dealPipelines[share < 0.45 ? 0 : share < 0.96 ? 1 : 2];
  if (!found) throw new Error('the pipeline list is incomplete');
  return found;
}

/** Some deals have no amount; the amount of a rental is one year's rent. */
function amountOf(random: Random): number | null {
  if (random.chance(0.05)) return null;
  const amount = random.chance(0.35) ? random.whole(45, 400) * 1_000 : random.whole(550, 24_000) * 1_000;
  return random.chance(0.1) ? amount + 0.99 : amount;
}
