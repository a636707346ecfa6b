/** Seed data: users of the project system, some of the firm's people including dismissed ones. */
import { people } from '../kit/people.ts';

export interface ProjectUser {
  id: string;
  first_name: string;
  last_name: string;
  email: string;
  phone: string | null;
  role: 'admin' | 'editor' | 'viewer';
  /** The person's id in the CRM, if recorded. */
  crm_id: number | null;
  active: boolean;
  created_at: string;
}

export const seedProjectUsers = (): ProjectUser[] =>
  people()
    .filter(({ number }) => number % 15 < 4)
    .map(person => ({
      id: `u-${5_000 + person.number}`,
      first_name: person.firstName,
      last_name: person.lastName,
      email: person.number % 13 === 2 ? person.email.toUpperCase() : person.email,
      phone: person.number % 4 === 0 ? null : person.phone,
      role: person.department === 'IT' ? 'admin' : person.brn === undefined ? 'editor' : 'viewer',
      crm_id: person.number % 3 === 1 ? null : person.crmId,
      active: true,
      created_at: `${person.joinedOn}T08:00:00Z`,
    }));
