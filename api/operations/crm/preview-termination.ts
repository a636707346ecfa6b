/** Preview of a termination for `validateOnly`: the person found, and their account in each system. */
import { accountsOf } from '../../../core/domain/terminations/accounts.ts';
import {
  type FoundAccount,
  findAccount,
  sameEmailWarnings,
  TerminationConfig,
} from '../../../core/domain/terminations/find-account.ts';
import { findPerson, type Person, personWarnings, unknownPerson } from '../../../core/domain/terminations/person.ts';
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

/** @throws ServiceError when the person is unknown, or when the only system rejects the termination */
export async function previewTermination(
  systems: readonly TerminationSystem[],
  request: TerminationRequest,
  services: Pick<ApiServices, 'systems'>,
): Promise<Warning[]> {
  const person = await findPerson(crmSystem.client(services.systems), request);
  const previews = await Promise.all(
    systems.map(async system => {
      const preview = previewIn(system, person, services);
      return systems.length === 1 ? await preview : await preview.catch(failedPreview);
    }),
  );
  if (person.inCrm === 'unknown' && previews.every(({ isAbsent }) => isAbsent)) throw unknownPerson();
  return [...personWarnings(person, request), ...previews.flatMap(({ warnings }) => warnings)];
}

async function previewIn(system: TerminationSystem, person: Person, { systems }: Pick<ApiServices, 'systems'>) {
  const accounts = accountsOf(system, systems);
  const { TERMINATION_PROTECTED_EMAILS: protectedEmails } = readConfig(TerminationConfig, systems.env);
  const found = await findAccount(accounts, person, protectedEmails);
  const warnings: Warning[] = [
    { pointer: '', severity: 'hint', ...accountHint(found, accounts.title) },
    ...sameEmailWarnings(accounts.title, found),
  ];
  return { isAbsent: found.id === null, warnings };
}

function accountHint({ id, state, isCutOff }: FoundAccount, title: string) {
  if (id === null || state === null) return { code: 'absent', detail: `No such user in ${title}.` };
  const account = `User ${id} in ${title}`;
  return isCutOff
    ? { code: 'already-terminated', detail: `${account} is already terminated.` }
    : { code: 'to-be-terminated', detail: `${account} would be terminated: ${describeState(state)}.` };
}

function describeState(state: AccountState): string {
  if ('groups' in state)
    return `${state.state}, in ${state.groups.length} groups, ${state.scheduledActivations} scheduled activations`;
  const activity = state.active ? 'active' : 'inactive';
  return 'role' in state ? `${activity}, ${state.role ?? 'without a role'}` : activity;
}

function failedPreview(error: unknown): Awaited<ReturnType<typeof previewIn>> {
  const { code, message } = asServiceError(error);
  return {
    isAbsent: code === 'not-found',
    warnings: [{ pointer: '', severity: 'error', code, detail: message }],
  };
}
