import { listLinksOperation } from './list-links-operation.ts';

export default listLinksOperation(
  'campaign',
  'links.listCampaigns',
  '/apps/links/v1/campaigns',
  'List all campaign links with their child links and clicks.',
);
