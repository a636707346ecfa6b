/** The log store: OpenSearch or Elasticsearch, with the portal's activity. */
import { defineSystem } from '../kit/define-system.ts';
import { openActivityLog } from './client.ts';
import { ActivityLogConfig } from './config.ts';

const system = { name: 'activity-log', title: 'The log store' };

export default defineSystem({
  ...system,
  config: ActivityLogConfig,
  configuredBy: 'ACTIVITY_LOG_URL',
  sandbox: base => ({ ACTIVITY_LOG_URL: base, ACTIVITY_LOG_API_KEY: 'sandbox' }),
  open: (config, tools) => openActivityLog(config, system, tools),
  probe: log => log.latest(),
});
