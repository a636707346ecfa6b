/** Seed data: viewings, a second smart process besides locations. */
import { people } from '../../kit/people.ts';
import { createRandom } from '../../kit/random.ts';
import type { Row } from '../fields.ts';
import { ascendingTimes, hours, portalTime } from '../portal-time.ts';

export function seedViewings(): Row[] {
  const random = createRandom('crm viewings');
  const agents = people().filter(({ brn, leftOn }) => brn !== undefined && leftOn === undefined);
  return ascendingTimes(random, 300).map((created, index) => {
    const agent = random.pick(agents).crmId;
    return {
      ID: index + 1,
      TITLE: `Viewing ${index + 1}`,
      XML_ID: '',
      CATEGORY_ID: 31,
      STAGE_ID: random.pick(['DT1224_31:NEW', 'DT1224_31:SUCCESS', 'DT1224_31:FAIL']),
      OPENED: 'Y',
      ASSIGNED_BY_ID: agent,
      CREATED_BY: agent,
      UPDATED_BY: agent,
      CREATED_TIME: portalTime(created),
      UPDATED_TIME: portalTime(created),
      PARENT_ID_1: null,
      PARENT_ID_2: null,
      UF_CRM_9_REFERENCE: `MP-S-${random.whole(1000, 9999)}`,
      UF_CRM_9_LOCATION: null,
      UF_CRM_9_1752000000: '',
      UF_CRM_9_ATTENDED: random.chance(0.6),
      UF_CRM_9_TIME: portalTime(created + hours(48)),
    };
  });
}
