/** Terminates a user in one system, or in all. */
import {
  TerminationRequest,
  type TerminationSystem,
  terminationSystems,
} from '../../../core/domain/terminations/termination.ts';
import chatBot from '../../../core/integrations/chat-bot/system.ts';
import crmSystem from '../../../core/integrations/crm/system.ts';
import directory from '../../../core/integrations/directory/system.ts';
import propertyProjects from '../../../core/integrations/property-projects/system.ts';
import terminations from '../../../workers/terminations/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { previewTermination } from './preview-termination.ts';

const rules =
  'The CRM id or e-mail must match exactly one CRM user. Steps that are already done are skipped; the result is verified ' +
  'afterwards. `validateOnly` returns the user found and the current state.';

/** @param whatItDoes the sentence before the rules that all have in common */
export const terminationOperation = (system: TerminationSystem | 'all', id: string, whatItDoes: string) =>
  defineJobOperation({
    summary: `${whatItDoes} ${rules}`,
    id,
    route: `POST /apps/crm/v1/users/terminate${system === 'all' ? '' : `/${system}`}`,
    scope: 'users:terminate',
    request: { body: TerminationRequest },
    job: terminations,
    calls: [crmSystem, propertyProjects, directory, chatBot],
    problems: {
      'not-found': 'With `validateOnly`: no system knows the person.',
      conflict: 'With `validateOnly`: the person must not be terminated, or several users match.',
    },
    accept: async ({ body: { crmId, email, reason, dryRun } }) => ({
      payload: { system, crmId, email, reason, dryRun },
    }),
    validate: ({ body }, { services }) =>
      previewTermination(system === 'all' ? terminationSystems : [system], body, services),
  });
