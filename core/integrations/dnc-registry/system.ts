/** The registry of numbers that must not be called or texted for marketing. */
import { defineSystem } from '../kit/define-system.ts';
import { openDncRegistry } from './client.ts';
import { DncRegistryConfig } from './config.ts';

/** Of the form that the Emirates give to mobile phones, with a subscriber part that is given to nobody. */
const nobodysNumber = '+971500000000';

export default defineSystem({
  name: 'dnc-registry',
  title: 'The do-not-call registry',
  config: DncRegistryConfig,
  configuredBy: 'DNC_URL',
  sandboxName: 'telephony',
  sandbox: base => ({ DNC_URL: base, DNC_API_KEY: 'sandbox' }),
  open: openDncRegistry,
  async probe(registry) {
    const { failures } = await registry.ask([nobodysNumber]);
    if (failures.length > 0) throw failures[0];
  },
});
