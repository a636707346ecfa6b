/** Seed data: groups by department, office and permission, and their members. */
import { createRandom } from '../kit/random.ts';
import type { SystemUser } from './seed-users.ts';

export interface UserGroup {
  id: string;
  name: string;
  description: string;
  email: string;
  type: 'user_group';
  membershipMethod: 'STATIC' | 'DYNAMIC_AUTOMATED';
  memberSuggestionsNotify: boolean;
}

export interface Membership {
  groupId: string;
  userId: string;
}

const permissionGroups = [
  { name: 'All staff', description: 'Everybody who works here' },
  { name: 'VPN', description: 'Access from outside the offices' },
  { name: 'CRM users', description: 'Single sign-on to the CRM' },
  { name: 'Listing editors', description: 'May publish on the listing portal' },
  { name: 'Commission approvers', description: '' },
  { name: 'Device administrators', description: 'Manage laptops and phones' },
];

/** @param users all users; each of their departments and offices has a group */
export function seedGroups(users: readonly SystemUser[]): UserGroup[] {
  const random = createRandom('directory groups');
  const valuesOf = (select: (user: SystemUser) => string) => [...new Set(users.map(select))].filter(Boolean).sort();
  return [
    ...permissionGroups,
    ...valuesOf(user => user.department).map(name => ({ name: `Department ${name}`, description: '' })),
    ...valuesOf(user => user.location).map(name => ({ name: `Office ${name}`, description: '' })),
  ].map(({ name, description }) => ({
    id: `61${random.hex(22)}`,
    name,
    description,
    email: '',
    type: 'user_group',
    membershipMethod: name.startsWith('Department') ? 'DYNAMIC_AUTOMATED' : 'STATIC',
    memberSuggestionsNotify: false,
  }));
}

export function seedMemberships(users: readonly SystemUser[], groups: readonly UserGroup[]): Membership[] {
  const random = createRandom('directory memberships');
  const idOf = new Map(groups.map(({ name, id }) => [name, id]));
  return users.flatMap(user => {
    const names = [
      user.department && `Department ${user.department}`,
      user.location && `Office ${user.location}`,
      user.employeeType === 'Full-time' ? 'All staff' : '',
      random.chance(0.4) ? 'VPN' : '',
      random.chance(0.7) ? 'CRM users' : '',
      user.department === 'Marketing' ? 'Listing editors' : '',
      user.department === 'Finance' ? 'Commission approvers' : '',
      user.department === 'IT' ? 'Device administrators' : '',
    ];
    return names.flatMap(name => {
      const groupId = idOf.get(name);
      return groupId === undefined ? [] : [{ groupId, userId: user._id }];
    });
  });
}
