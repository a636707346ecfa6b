import { z } from 'zod';
import directorySystem from '../../../core/integrations/directory/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { defineOperation, ok } from '../../http/operation.ts';
import { DirectoryId } from './directory-id.ts';

const ParentGroup = z
  .object({
    id: z.string().describe('The group’s id.'),
    name: z.string().nullable().describe('Null if the group was deleted meanwhile.'),
  })
  .meta({ id: 'ParentGroup', examples: [{ id: '613b591a6d062105d4a11f84', name: 'All staff' }] });

export default defineOperation({
  summary: 'List the groups of a user of the identity directory, sorted by name.',
  id: 'directory.listUserGroups',
  route: 'GET /apps/directory/v1/users/{id}/groups',
  scope: 'directory:read',
  request: { params: z.object({ id: DirectoryId.describe('The user’s id.') }) },
  answers: {
    200: {
      description: 'All groups of the user.',
      schema: z.object({ items: z.array(ParentGroup).describe('The groups.') }),
    },
  },
  calls: [directorySystem],
  async handle({ params }, { services }) {
    const groups = await directorySystem.client(services.systems).groupsOfUser(params.id);
    if (!groups) throw new ServiceError('not-found', 'The identity directory has no such user.');
    const items = groups.sort((one, other) => (one.name ?? '').localeCompare(other.name ?? ''));
    return ok({ items });
  },
});
