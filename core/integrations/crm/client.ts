/** The CRM with our verbs. */
import type { SystemTools } from '../kit/context.ts';
import type { SystemName } from '../kit/upstream-error.ts';
import type { CrmConfig } from './config.ts';
import { openDeals } from './deals.ts';
import { openItems, openProducts } from './items.ts';
import { openLeads } from './leads.ts';
import { openLocations } from './locations.ts';
import { openCrmRest } from './rest.ts';
import { openUsers } from './users.ts';

export type Crm = ReturnType<typeof openCrm>;

export function openCrm(config: CrmConfig, system: SystemName, tools: SystemTools) {
  const rest = openCrmRest(config, system, tools);
  return {
    deals: openDeals(rest, config),
    locations: openLocations(rest, config),
    leads: openLeads(rest, config),
    users: openUsers(rest),
    items: openItems(rest),
    products: openProducts(rest),
  };
}
