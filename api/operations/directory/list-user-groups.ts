import { z } from 'zod';
import directorySystem from '../../../core/integrations/directory/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { defineOperation } from '../../http/operation.ts';
import { DirectoryId } from './directory-resource.ts';

const ParentGroup = z
  .object({
    id: z.string(),
    name: z.string().nullable().describe('Null when the group was deleted meanwhile.'),
  })
  .meta({ id: 'ParentGroup', examples: [{ id: '613b591a6d062105d4a11f84', name: 'All staff' }] });

export default defineOperation({
  summary: 'The groups that a user of the identity directory belongs to, by name.',
  id: 'directory.listUserGroups',
  method: 'GET',
  path: '/apps/directory/v1/users/{id}/groups',
  scope: 'directory:read',
  request: { params: z.object({ id: DirectoryId.describe('The user’s id.') }) },
  answers: {
    200: { description: 'All of the user’s groups.', schema: z.object({ items: z.array(ParentGroup) }) },
  },
  async handle({ params }, { services }) {
    const groups = await directorySystem.client(services.systems).groupsOfUser(params.id);
    if (!groups) throw new ServiceError('not-found', 'The identity directory has no such user.');
    const items = groups.sort((one, other) => (one.name ?? '').localeCompare(other.name ?? ''));
    return { status: 200, headers: { 'cache-control': 'no-store' }, body: { items } };
  },
});
