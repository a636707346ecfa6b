/** One operation a system, and one for all of them. */
import { TerminationRequest, terminationSystems } from '../../../core/domain/terminations/termination.ts';
import terminations from '../../../workers/terminations/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { foretellTermination } from './preview-termination.ts';

const rules =
  'The user is named by CRM id or e-mail, and must be exactly one there. What is done already counts as done, and is ' +
  'read again afterwards. `validateOnly` tells who is meant and how it stands.';

const variants = [
  {
    system: 'property-projects',
    id: 'crm.terminateUserInPropertyProjects',
    summary: `Terminate a user in the property-project system: the user is deleted there. ${rules}`,
  },
  {
    system: 'directory',
    id: 'crm.terminateUserInDirectory',
    summary: `Terminate a user in the identity directory: suspended, which ends the sessions, and taken out of all groups. ${rules}`,
  },
  {
    system: 'chat-bot',
    id: 'crm.terminateUserInChatBot',
    summary: `Terminate a user in the chat-bot database: the user is made inactive. ${rules}`,
  },
  {
    system: 'all',
    id: 'crm.terminateUser',
    summary: `Terminate a user in the property-project system, the identity directory and the chat-bot database at once, each as by itself; one that is down holds up no other and is tried again. ${rules}`,
  },
] as const;

export default variants.map(({ system, id, summary }) =>
  defineJobOperation({
    summary,
    id,
    method: 'POST',
    path: `/apps/crm/v1/users/terminate${system === 'all' ? '' : `/${system}`}`,
    scope: 'users:terminate',
    request: { body: TerminationRequest },
    job: terminations,
    accept: async ({ body: { crmId, email, reason } }) => ({ payload: { system, crmId, email, reason } }),
    validate: ({ body }, { services }) =>
      foretellTermination(system === 'all' ? terminationSystems : [system], body, services),
  }),
);
