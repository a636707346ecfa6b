/**
 * The identity directory with our verbs. It has no call that ends a user's sessions: to suspend the user does, to expire
 * the password does not.
 */
import { ServiceError } from '../../runtime/errors.ts';
import type { SystemTools } from '../kit/context.ts';
import type { DirectoryConfig } from './config.ts';
import { openGroups } from './groups.ts';
import { openStateJobs, type StateOrder } from './state-jobs.ts';
import { openUsers } from './users.ts';
import type { DirectoryUser } from './wire.ts';

export type Directory = ReturnType<typeof openDirectory>;

export function openDirectory(config: DirectoryConfig, tools: SystemTools) {
  const http = tools.http({
    baseUrl: config.DIRECTORY_URL ?? '',
    headers: () => ({
      'x-api-key': config.DIRECTORY_API_KEY,
      ...(config.DIRECTORY_ORGANIZATION_ID && { 'x-org-id': config.DIRECTORY_ORGANIZATION_ID }),
    }),
  });
  const stateJobs = openStateJobs(http);
  const users = openUsers(http);
  const groups = openGroups(http);

  return {
    ...users,
    ...groups,
    stateJobs: stateJobs.list,
    stateJobsPage: stateJobs.page,
    deleteStateJob: stateJobs.delete,

    /**
     * A job a user, in the order of their ids; an equal one that is there already is taken.
     * @throws ServiceError invalid-input naming the users that are unknown
     */
    async scheduleState(order: StateOrder) {
      await refuseUnknown(order.userIds, users.user);
      return await stateJobs.ensure(order);
    },
  };
}

async function refuseUnknown(
  ids: readonly string[],
  find: (id: string) => Promise<DirectoryUser | undefined>,
): Promise<void> {
  const found = await Promise.all(ids.map(find));
  const faults = found.flatMap((user, index) =>
    user ? [] : [{ pointer: `/userIds/${index}`, detail: 'is no user of the identity directory' }],
  );
  if (faults.length === 0) return;
  throw new ServiceError('invalid-input', 'The identity directory does not know all of these users.', {
    faults,
  });
}
