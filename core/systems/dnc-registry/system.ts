/** The registry of numbers that must not be called or texted for marketing. */
import { defineSystem } from '../system.ts';
import { openDncRegistry } from './client.ts';
import { DncRegistryConfig } from './config.ts';

export default defineSystem({
  name: 'dnc-registry',
  title: 'The do-not-call registry',
  config: DncRegistryConfig,
  configuredBy: 'DNC_URL',
  sandboxName: 'telephony',
  sandbox: base => ({ DNC_URL: base, DNC_API_KEY: 'sandbox' }),
  open: openDncRegistry,
});
