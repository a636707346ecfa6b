/** The listing portal: Property Finder, by its Enterprise API. */
import { defineSystem } from '../kit/define-system.ts';
import { openListingPortal } from './client.ts';
import { ListingPortalConfig } from './config.ts';

export default defineSystem({
  name: 'listing-portal',
  title: 'The listing portal',
  config: ListingPortalConfig,
  configuredBy: 'LISTING_PORTAL_URL',
  sandbox: base => ({
    LISTING_PORTAL_URL: base,
    LISTING_PORTAL_API_KEY: 'sandbox'.padEnd(40, '0'),
    LISTING_PORTAL_API_SECRET: 'sandbox'.padEnd(32, '0'),
  }),
  open: openListingPortal,
  probe: portal => portal.searchLocations({ term: 'Dubai', perPage: 1 }),
});
