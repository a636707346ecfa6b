/** The platform on which events are published and tickets ordered. */
import { defineSystem } from '../kit/define-system.ts';
import { openEvents } from './client.ts';
import { EventsConfig } from './config.ts';

export default defineSystem({
  name: 'events',
  title: 'The events platform',
  config: EventsConfig,
  configuredBy: 'EVENTS_URL',
  sandbox: base => ({ EVENTS_URL: `${base}/v3`, EVENTS_TOKEN: 'sandbox', EVENTS_ORGANIZATION_ID: '5550001' }),
  open: openEvents,
  probe: events => events.me(),
});
