/** The CRM: Bitrix24, reached through an incoming webhook. */
import type { SystemTools } from '../kit/context.ts';
import { defineSystem } from '../kit/define-system.ts';
import { CrmConfig, dealSettings, leadSettings, locationSettings, requireSettings } from './config.ts';
import { openDeals } from './deals.ts';
import { openItems, openProducts } from './items.ts';
import { openLeads } from './leads.ts';
import { openListings } from './listings.ts';
import { openLocations } from './locations.ts';
import { openMode } from './mode.ts';
import { mistakeOf } from './permissions.ts';
import { openCrmRest } from './rest.ts';
import { openCrmSettings } from './settings.ts';
import { openUsers } from './users.ts';

const system = { name: 'crm', title: 'The CRM' };

export default defineSystem({
  ...system,
  config: CrmConfig,
  configuredBy: 'CRM_URL',
  sandbox: base => ({
    CRM_URL: `${base}/rest/1/sandbox`,
    CRM_PRIMARY_PIPELINES: '0',
    CRM_SECONDARY_PIPELINES: '1',
    CRM_LOCATION_ENTITY_TYPE: '1222',
    CRM_LOCATION_TYPE_FIELD: 'ufCrm8Type',
    CRM_LOCATION_TYPES: 'CITY,COMMUNITY,SUBCOMMUNITY,TOWER',
    CRM_LOCATION_PARENT_FIELD: 'ufCrm8Parent',
    CRM_LOCATION_PORTAL_ID_FIELD: 'ufCrm8PortalId',
    CRM_LOCATION_ARABIC_FIELD: 'ufCrm8NameAr',
    CRM_LISTING_ENTITY_TYPE: '1226',
    CRM_LISTING_REFERENCE_FIELD: 'ufCrm10Reference',
    CRM_LEAD_COUNTRY_FIELD: 'UF_CRM_COUNTRY',
    CRM_LEAD_DNC_FIELD: 'UF_CRM_DNC_STATUS',
    CRM_LEAD_LOCATIONS_FIELD: 'UF_CRM_LOCATIONS',
    CRM_LEAD_AGENT_FIELD: 'UF_CRM_MATCHED_AGENT',
    CRM_LEAD_ACTIVITY_FIELD: 'UF_CRM_ACTIVITY_SUMMARY',
    CRM_LEAD_CONSENT_FIELD: 'UF_CRM_CONSENT',
    CRM_LEAD_PAGE_FIELD: 'UF_CRM_PAGE_URL',
  }),
  open: openCrm,
  async probe(crm) {
    await crm.settings.requirePermissions();
    await crm.users.get(1);
  },
  mistakeOf,
  checkSettings: crm => crm.settings.check(),
  proposeSettings: crm => crm.settings.propose(),
});

export type Crm = ReturnType<typeof openCrm>;

function openCrm(config: CrmConfig, tools: SystemTools) {
  const rest = openCrmRest(config, system, tools);
  const deals = lazily(() => openDeals(rest, requireSettings(config, dealSettings)));
  const locations = lazily(() => openLocations(rest, requireSettings(config, locationSettings)));
  const { requireLeads } = openMode(rest);
  const leads = lazily(() => openLeads(rest, requireSettings(config, leadSettings), requireLeads));
  return {
    /** @throws ServiceError `system-not-configured` with the missing settings */
    get deals() {
      return deals();
    },
    /** @throws ServiceError `system-not-configured` with the missing settings */
    get locations() {
      return locations();
    },
    /** @throws ServiceError `system-not-configured` with the missing settings */
    get leads() {
      return leads();
    },
    users: openUsers(rest),
    listings: openListings(rest, config),
    items: openItems(rest),
    products: openProducts(rest),
    settings: openCrmSettings(rest, config),
  };
}

/** Opens at first use, so that a missing setting fails only the operations that need it. */
function lazily<T>(open: () => T): () => T {
  let opened: { value: T } | undefined;
  return () => {
    opened ??= { value: open() };
    return opened.value;
  };
}
