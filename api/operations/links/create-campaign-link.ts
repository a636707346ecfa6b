import { createLinkOperation } from './create-link-operation.ts';

export default createLinkOperation(
  'campaign',
  'links.createCampaign',
  '/apps/links/v1/campaigns',
  'Create a campaign link, from query parameters or from a JSON body; with `parentId`, a child link of a campaign.',
);
