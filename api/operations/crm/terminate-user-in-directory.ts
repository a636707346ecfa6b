import { terminationOperation } from './termination-operation.ts';

export default terminationOperation(
  'directory',
  'crm.terminateUserInDirectory',
  'Terminate a user in the identity directory: suspends the user, which ends the sessions, and removes the user from all groups.',
);
