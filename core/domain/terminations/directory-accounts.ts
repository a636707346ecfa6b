/**
 * The identity directory's users: one who is terminated is suspended, which also ends the sessions, and leaves all
 * groups. To suspend comes first, so that whoever is half terminated is signed out at least.
 */
import type { Directory } from '../../integrations/directory/client.ts';
import { UpstreamError } from '../../integrations/kit/upstream-error.ts';
import type { SystemAccounts } from './accounts.ts';

interface Membership {
  id: string;
  name: string | null;
  byRule: boolean;
}

export function directoryAccounts(directory: Directory): SystemAccounts {
  async function memberships(userId: string): Promise<Membership[]> {
    const groups = (await directory.groupsOfUser(userId)) ?? [];
    if (groups.length === 0) return [];
    const all = await directory.groups();
    const byRule = new Set(all.flatMap(group => (group.membership?.startsWith('DYNAMIC') ? group.id : [])));
    return groups.map(group => ({ ...group, byRule: byRule.has(group.id) }));
  }

  /** A job that is due later would let the user in again. */
  const activations = async (userId: string) =>
    (await directory.stateJobs({ userId })).filter(({ state }) => state === 'ACTIVATED');

  /** Where a rule decides who is a member, the directory may refuse: the rule has the last word. */
  async function leave(group: Membership, userId: string): Promise<void> {
    await directory.removeFromGroup(group.id, userId).catch((error: unknown) => {
      if (!group.byRule || !(error instanceof UpstreamError) || error.passing) throw error;
    });
  }

  return {
    title: 'the identity directory',

    findByEmail: async email =>
      (await directory.usersByEmail(email)).map(user => ({ id: user.id, crmId: null, email: user.email })),

    async read(id) {
      const user = await directory.user(id);
      if (!user) return { state: null, isCutOff: true };
      const [groups, scheduled] = await Promise.all([memberships(id), activations(id)]);
      return {
        state: { state: user.state, groups, scheduledActivations: scheduled.length },
        isCutOff:
          user.state === 'SUSPENDED' && groups.every(({ byRule }) => byRule) && scheduled.length === 0,
      };
    },

    async cutOff(id) {
      await directory.setState(id, 'SUSPENDED');
      for (const job of await activations(id)) await directory.deleteStateJob(job.id);
      // Should anybody activate the user again, the old password is of no use.
      await directory.expirePassword(id);
      for (const group of await memberships(id)) await leave(group, id);
    },
  };
}
