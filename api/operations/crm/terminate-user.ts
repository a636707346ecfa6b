import { terminationOperation } from './termination-operation.ts';

export default terminationOperation(
  'all',
  'crm.terminateUser',
  'Terminate a user in the property-project system, the identity directory and the chat-bot database independently; an unavailable system is retried and does not delay the others.',
);
