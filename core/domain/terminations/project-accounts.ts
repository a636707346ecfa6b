/** Who may work in the property-project system: a user who is terminated is deleted. */
import type { PropertyProjects } from '../../integrations/property-projects/client.ts';
import type { SystemAccounts } from './accounts.ts';

export function projectAccounts(projects: PropertyProjects): SystemAccounts {
  return {
    title: 'the property-project system',
    findByCrmId: crmId => projects.usersByCrmId(crmId),
    findByEmail: email => projects.usersByEmail(email),
    async read(id) {
      const user = await projects.user(id);
      return { state: user ? { role: user.role, active: user.active } : null, isCutOff: !user };
    },
    async cutOff(id) {
      await projects.deleteUser(id);
    },
  };
}
