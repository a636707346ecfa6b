/** `GET /v1/users`: the firm's agents with their broker registration numbers. */
import { z } from 'zod';
import { type Person, people } from '../kit/people.ts';
import { PageQuery, paged, parsed } from './locations.ts';

const UsersQuery = PageQuery.extend({
  search: z.string().optional(),
  status: z.enum(['active', 'inactive']).optional(),
  email: z.string().optional(),
});

export interface Agent {
  id: number;
  firstName: string;
  lastName: string;
  email: string;
  mobile: string;
  status: 'active' | 'inactive';
  role: { id: number; name: string; roleKey: string };
  publicProfile: {
    id: number;
    name: string;
    email: string;
    phone: string;
    /** Path in the sandbox; responses contain the absolute URL. */
    photo: string;
    compliances: readonly object[];
    isSuperAgent: boolean;
    callTracking: null;
  };
}

export function seedAgents(): Agent[] {
  return people()
    .filter(({ brn }) => brn !== undefined)
    .map(agentOf);
}

function agentOf({ number, firstName, lastName, email, phone, brn, leftOn }: Person): Agent {
  return {
    id: 40_000 + number,
    firstName,
    lastName,
    email,
    mobile: phone,
    status: leftOn === undefined ? 'active' : 'inactive',
    role: { id: 2, name: 'Agent', roleKey: 'agent' },
    publicProfile: {
      id: 90_000 + number,
      name: `${firstName} ${lastName}`,
      email,
      phone,
      photo: `/photos/agent0${(number % 6) + 1}.jpg`,
      compliances: [{ type: 'brn', value: brn, status: 'approved', expiryDate: '2027-01-31' }],
      isSuperAgent: number % 9 === 0,
      callTracking: null,
    },
  };
}

/** @param origin of the photos, such as `http://127.0.0.1:9100` */
export function listAgents(agents: readonly Agent[], query: unknown, origin: string): object {
  const { search = '', status, email, ...paging } = parsed(UsersQuery, query);
  const found = agents.filter(
    agent =>
      (status === undefined || agent.status === status) &&
      (email === undefined || agent.email === email.toLowerCase()) &&
      `${agent.publicProfile.name} ${agent.email}`.toLowerCase().includes(search.toLowerCase()),
  );
  const { rows, pagination } = paged(found, paging);
  return { data: rows.map(agent => renderAgent(agent, origin)), pagination };
}

function renderAgent({ publicProfile: { photo, ...profile }, ...agent }: Agent, origin: string): object {
  return {
    ...agent,
    publicProfile: { ...profile, imageVariants: { large: { default: `${origin}${photo}` } } },
  };
}
