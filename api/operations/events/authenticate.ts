import { z } from 'zod';
import eventsSystem from '../../../core/integrations/events/system.ts';
import { defineOperation } from '../../http/operation.ts';

const Account = z
  .object({
    id: z.string().describe('The account’s id.'),
    name: z.string().describe('Name of the account.'),
    email: z.string().nullable().describe('Main e-mail address.'),
    organizations: z
      .array(z.object({ id: z.string().describe('Its id.'), name: z.string().describe('Its name.') }))
      .describe('The organizations whose events it sees.'),
  })
  .meta({
    id: 'EventsAccount',
    examples: [
      {
        id: '770001',
        name: 'Meridian Palm Events',
        email: 'events@meridianpalm.example',
        organizations: [{ id: '5550001', name: 'Meridian Palm' }],
      },
    ],
  });

export default defineOperation({
  summary: 'Authenticate with the events platform and return the account of our token.',
  id: 'events.authenticate',
  route: 'GET /apps/events/v1/auth',
  scope: 'events',
  request: {},
  answers: { 200: { description: 'The account.', schema: Account } },
  calls: [eventsSystem],
  async handle(_, { services }) {
    const events = eventsSystem.client(services.systems);
    const [me, organizations] = await Promise.all([events.me(), events.organizations()]);
    return { status: 200, body: { ...me, organizations } };
  },
});
