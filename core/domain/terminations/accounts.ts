/** The accounts of each system that terminations close: find, read, revoke access. */
import chatBotSystem, { type ChatBot } from '../../integrations/chat-bot/system.ts';
import directorySystem, { type Directory } from '../../integrations/directory/system.ts';
import type { IntegrationContext } from '../../integrations/kit/context.ts';
import { UpstreamError } from '../../integrations/kit/upstream-error.ts';
import propertyProjectsSystem, { type PropertyProjects } from '../../integrations/property-projects/system.ts';
import type { AccountState, TerminationSystem } from './termination.ts';

export interface Account {
  id: string;
  /** Null if the system does not store it, or the account has none. */
  crmId: number | null;
  email: string | null;
}

export interface AccountAccess {
  /** Null if the account does not exist. */
  state: AccountState | null;
  /** True if the account cannot sign in, and no scheduled change will let it. */
  isCutOff: boolean;
}

export interface SystemAccounts {
  /** For sentences, such as `the identity directory`. */
  title: string;
  /** Undefined if the system does not store CRM ids. */
  findByCrmId?: (crmId: number) => Promise<Account[]>;
  findByEmail(email: string): Promise<Account[]>;
  read(id: string): Promise<AccountAccess>;
  /** May be repeated, also after an interruption at any point. */
  revokeAccess(id: string): Promise<void>;
}

/** @throws ServiceError system-not-configured */
export function accountsOf(system: TerminationSystem, ground: IntegrationContext): SystemAccounts {
  switch (system) {
    case 'property-projects':
      return projectAccounts(propertyProjectsSystem.client(ground));
    case 'directory':
      return directoryAccounts(directorySystem.client(ground));
    case 'chat-bot':
      return chatBotAccounts(chatBotSystem.client(ground));
  }
}

interface Membership {
  id: string;
  name: string | null;
  byRule: boolean;
}

function directoryAccounts(directory: Directory): SystemAccounts {
  async function memberships(userId: string): Promise<Membership[]> {
    const groups = (await directory.membershipsOfUser(userId)) ?? [];
    return groups.map(({ id, name, membership }) => ({
      id,
      name,
      byRule: membership?.startsWith('DYNAMIC') ?? false,
    }));
  }

  /** Scheduled activations would let the user sign in again. */
  const activations = async (userId: string) =>
    (await directory.stateJobs({ userId })).filter(({ state }) => state === 'ACTIVATED');

  /** Ignores a rejection for a group whose members are defined by a rule: the directory does not allow removal. */
  async function leave(group: Membership, userId: string): Promise<void> {
    await directory.removeFromGroup(group.id, userId).catch((error: unknown) => {
      if (!group.byRule || !(error instanceof UpstreamError) || error.transient) throw error;
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
        isCutOff: user.state === 'SUSPENDED' && groups.every(({ byRule }) => byRule) && scheduled.length === 0,
      };
    },

    async revokeAccess(id) {
      await directory.setState(id, 'SUSPENDED');
      for (const job of await activations(id)) await directory.deleteStateJob(job.id);
      // The old password stays invalid if the user is activated again.
      await directory.expirePassword(id);
      for (const group of await memberships(id)) await leave(group, id);
    },
  };
}

function projectAccounts(projects: PropertyProjects): SystemAccounts {
  return {
    title: 'the property-project system',
    findByCrmId: crmId => projects.usersByCrmId(crmId),
    findByEmail: email => projects.usersByEmail(email),
    async read(id) {
      const user = await projects.user(id);
      return { state: user ? { role: user.role, active: user.active } : null, isCutOff: !user };
    },
    async revokeAccess(id) {
      await projects.deleteUser(id);
    },
  };
}

function chatBotAccounts(chatBot: ChatBot): SystemAccounts {
  return {
    title: 'the chat-bot database',
    findByCrmId: crmId => chatBot.findUsers({ crmId }),
    findByEmail: email => chatBot.findUsers({ email }),
    async read(id) {
      const user = await chatBot.user(id);
      return { state: user ? { active: user.active } : null, isCutOff: !user?.active };
    },
    async revokeAccess(id) {
      await chatBot.deactivateUser(id);
    },
  };
}
