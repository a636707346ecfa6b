/** The listing portal: Property Finder, by its Enterprise API. */
import { defineSystem } from '../system.ts';
import { openListingPortal } from './client.ts';
import { ListingPortalConfig } from './config.ts';

export default defineSystem({
  name: 'listing-portal',
  title: 'The listing portal',
  config: ListingPortalConfig,
  configuredBy: 'LISTING_PORTAL_URL',
  sandbox: base => ({
    LISTING_PORTAL_URL: base,
    LISTING_PORTAL_API_KEY: 'sandbox-key',
    LISTING_PORTAL_API_SECRET: 'sandbox-secret',
  }),
  open: openListingPortal,
});
