import { terminationOperation } from './termination-operation.ts';

export default terminationOperation(
  'chat-bot',
  'crm.terminateUserInChatBot',
  'Terminate a user in the chat-bot database: deactivates the user.',
);
