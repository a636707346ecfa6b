import { terminationOperation } from './termination-operation.ts';

export default terminationOperation(
  'property-projects',
  'crm.terminateUserInPropertyProjects',
  'Terminate a user in the property-project system: deletes the user.',
);
