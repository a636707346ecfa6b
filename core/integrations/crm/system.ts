/** The CRM: Bitrix24, reached through an incoming webhook. */
import type { SystemTools } from '../kit/context.ts';
import { defineSystem } from '../kit/define-system.ts';
import { CrmConfig } from './config.ts';
import { openDeals } from './deals.ts';
import { openItems, openProducts } from './items.ts';
import { openLeads } from './leads.ts';
import { openLocations } from './locations.ts';
import { openCrmRest } from './rest.ts';
import { openUsers } from './users.ts';

const system = { name: 'crm', title: 'The CRM' };

export default defineSystem({
  ...system,
  config: CrmConfig,
  configuredBy: 'CRM_URL',
  sandbox: base => ({ CRM_URL: `${base}/rest/1/sandbox` }),
  open: openCrm,
  probe: crm => crm.users.get(1),
});

export type Crm = ReturnType<typeof openCrm>;

function openCrm(config: CrmConfig, tools: SystemTools) {
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
