/** Seed data: the CRM's users, with dismissed people and inconsistent e-mail and phone formats. */
import { type Person, people } from '../../kit/people.ts';
import { createRandom } from '../../kit/random.ts';
import type { Row } from '../fields.ts';

/** Department names in the order of `department.get`; id 1 is the firm. */
export const departmentNames: readonly string[] = [...new Set(people().map(({ department }) => department))];

export function departmentId(name: string): number {
  return departmentNames.indexOf(name) + 2;
}

export function seedUsers(): Row[] {
  const random = createRandom('crm users');
  return people().map(person => ({
    ID: person.crmId,
    XML_ID: '',
    ACTIVE: person.leftOn === undefined,
    NAME: person.firstName,
    LAST_NAME: person.lastName,
    SECOND_NAME: '',
    TITLE: '',
    EMAIL: random.chance(0.05) ? person.email.toUpperCase() : person.email,
    LAST_LOGIN: `${person.leftOn ?? '2026-05-29'}T17:${random.whole(10, 59)}:00+03:00`,
    DATE_REGISTER: `${person.joinedOn}T00:00:00+03:00`,
    LAST_ACTIVITY_DATE: `${person.leftOn ?? '2026-05-29'} 17:59:59`,
    TIME_ZONE: 'Asia/Dubai',
    IS_ONLINE: 'N',
    PERSONAL_GENDER: person.gender === 'Female' ? 'F' : 'M',
    PERSONAL_BIRTHDAY: `${person.bornOn}T03:00:00+03:00`,
    PERSONAL_PHOTO: null,
    PERSONAL_CITY: person.office,
    PERSONAL_MOBILE: formatPhone(person, random.next()),
    WORK_PHONE: '+971 4 555 0140',
    WORK_POSITION: person.jobTitle,
    WORK_COMPANY: 'Meridian & Palm',
    UF_PHONE_INNER: String(1000 + person.number),
    UF_EMPLOYMENT_DATE: `${person.joinedOn}T03:00:00+03:00`,
    UF_DEPARTMENT: [departmentId(person.department)],
    USER_TYPE: 'employee',
  }));
}

/** Formats the number in one of several ways; only half of the numbers are E.164. */
function formatPhone({ phone }: Person, chance: number): string {
  const national = `0${phone.slice(4)}`;
  if (chance < 0.5) return phone;
  if (chance < 0.7) return `${national.slice(0, 3)} ${national.slice(3, 6)} ${national.slice(6)}`;
  return chance < 0.85 ? `00${phone.slice(1)}` : national;
}
