/** What a termination would come to, for `validateOnly`: who is meant, and how each system has them now. */

import { accountsOf } from '../../../core/domain/terminations/accounts.ts';
import {
  type FoundAccount,
  findAccount,
  sameEmailWarnings,
  TerminationConfig,
} from '../../../core/domain/terminations/find-account.ts';
import {
  findPerson,
  type Person,
  personWarnings,
  unknownPerson,
} from '../../../core/domain/terminations/person.ts';
import type {
  AccountState,
  TerminationRequest,
  TerminationSystem,
} from '../../../core/domain/terminations/termination.ts';
import crmSystem from '../../../core/integrations/crm/system.ts';
import type { Warning } from '../../../core/jobs/record.ts';
import { readConfig } from '../../../core/runtime/config.ts';
import { asServiceError } from '../../../core/runtime/errors.ts';
import type { ApiServices } from '../../services.ts';

interface Foretold {
  isAbsent: boolean;
  warnings: Warning[];
}

/** @throws ServiceError with what stands against the job; of several systems each has its say */
export async function foretellTermination(
  systems: readonly TerminationSystem[],
  request: TerminationRequest,
  services: Pick<ApiServices, 'systems'>,
): Promise<Warning[]> {
  const person = await findPerson(crmSystem.client(services.systems), request);
  const foretold = await Promise.all(
    systems.map(async system => {
      const told = foretellIn(system, person, services);
      return systems.length === 1 ? await told : await told.catch(standsAgainst);
    }),
  );
  if (person.inCrm === 'unknown' && foretold.every(({ isAbsent }) => isAbsent)) throw unknownPerson();
  return [...personWarnings(person, request), ...foretold.flatMap(({ warnings }) => warnings)];
}

async function foretellIn(
  system: TerminationSystem,
  person: Person,
  { systems: ground }: Pick<ApiServices, 'systems'>,
): Promise<Foretold> {
  const accounts = accountsOf(system, ground);
  const { TERMINATION_PROTECTED_EMAILS: protectedEmails } = readConfig(TerminationConfig, ground.env);
  const found = await findAccount(accounts, person, protectedEmails);
  const { code, detail } = outlook(found, accounts.title);
  const warnings: Warning[] = [
    { pointer: '', severity: 'hint', code, detail },
    ...sameEmailWarnings(accounts.title, found),
  ];
  return { isAbsent: found.id === null, warnings };
}

function outlook({ id, state, isCutOff }: FoundAccount, title: string): { code: string; detail: string } {
  if (id === null || state === null) return { code: 'absent', detail: `No such user in ${title}.` };
  const account = `User ${id} in ${title}`;
  return isCutOff
    ? { code: 'already-terminated', detail: `${account} is terminated already.` }
    : { code: 'to-be-terminated', detail: `${account} would be terminated: ${words(state)}.` };
}

function words(state: AccountState): string {
  if ('groups' in state)
    return `${state.state}, in ${state.groups.length} groups, to be activated ${state.scheduledActivations} times`;
  const activity = state.active ? 'active' : 'inactive';
  return 'role' in state ? `${activity}, ${state.role ?? 'without a role'}` : activity;
}

function standsAgainst(error: unknown): Foretold {
  const { code, message } = asServiceError(error);
  return {
    isAbsent: code === 'not-found',
    warnings: [{ pointer: '', severity: 'error', code, detail: message }],
  };
}
