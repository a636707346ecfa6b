/** The accounts of a system that people are cut off from: found, read, cut off. */
import chatBotSystem from '../../integrations/chat-bot/system.ts';
import directorySystem from '../../integrations/directory/system.ts';
import type { SystemGround } from '../../integrations/kit/context.ts';
import propertyProjectsSystem from '../../integrations/property-projects/system.ts';
import { chatBotAccounts } from './chat-bot-accounts.ts';
import { directoryAccounts } from './directory-accounts.ts';
import { projectAccounts } from './project-accounts.ts';
import type { AccountState, TerminationSystem } from './termination.ts';

export interface Account {
  id: string;
  /** Null where the system does not keep it, or nobody wrote it down. */
  crmId: number | null;
  email: string | null;
}

export interface Reading {
  /** Null when there is no such account. */
  state: AccountState | null;
  /** Nobody gets in with it, now or by what is scheduled. */
  isCutOff: boolean;
}

export interface SystemAccounts {
  /** For sentences, such as `the identity directory`. */
  title: string;
  /** Undefined where the system does not keep CRM ids. */
  findByCrmId?: (crmId: number) => Promise<Account[]>;
  findByEmail(email: string): Promise<Account[]>;
  read(id: string): Promise<Reading>;
  /** May be repeated, also after having been broken off anywhere. */
  cutOff(id: string): Promise<void>;
}

/** @throws ServiceError system-not-configured */
export function accountsOf(system: TerminationSystem, ground: SystemGround): SystemAccounts {
  switch (system) {
    case 'property-projects':
      return projectAccounts(propertyProjectsSystem.at(ground));
    case 'directory':
      return directoryAccounts(directorySystem.at(ground));
    case 'chat-bot':
      return chatBotAccounts(chatBotSystem.at(ground));
  }
}
