/** One operation per system, and one for all systems. */
import { TerminationRequest, terminationSystems } from '../../../core/domain/terminations/termination.ts';
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

const variants = [
  {
    system: 'property-projects',
    id: 'crm.terminateUserInPropertyProjects',
    summary: `Terminate a user in the property-project system: deletes the user. ${rules}`,
  },
  {
    system: 'directory',
    id: 'crm.terminateUserInDirectory',
    summary: `Terminate a user in the identity directory: suspends the user, which ends the sessions, and removes the user from all groups. ${rules}`,
  },
  {
    system: 'chat-bot',
    id: 'crm.terminateUserInChatBot',
    summary: `Terminate a user in the chat-bot database: deactivates the user. ${rules}`,
  },
  {
    system: 'all',
    id: 'crm.terminateUser',
    summary: `Terminate a user in the property-project system, the identity directory and the chat-bot database independently; an unavailable system is retried and does not delay the others. ${rules}`,
  },
] as const;

export default variants.map(({ system, id, summary }) =>
  defineJobOperation({
    summary,
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
  }),
);
