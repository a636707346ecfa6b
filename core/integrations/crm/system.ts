/** The CRM: Bitrix24, reached through an incoming webhook. */
import { defineSystem } from '../kit/define-system.ts';
import { openCrm } from './client.ts';
import { CrmConfig } from './config.ts';

const system = { name: 'crm', title: 'The CRM' };

export default defineSystem({
  ...system,
  config: CrmConfig,
  configuredBy: 'CRM_URL',
  sandbox: base => ({ CRM_URL: `${base}/rest/1/sandbox` }),
  open: (config, tools) => openCrm(config, system, tools),
  probe: crm => crm.users.get(1),
});
