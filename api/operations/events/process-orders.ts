import eventOrders, { EventOrdersRequest } from '../../../workers/event-orders/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';

export default defineJobOperation({
  summary:
    'Fetch event orders since the last run and make each guest of an event a lead, once, however often this runs.',
  id: 'events.processOrders',
  method: 'POST',
  path: '/apps/events/v1/orders/process',
  scope: 'events',
  request: { body: EventOrdersRequest.prefault({}) },
  job: eventOrders,
  accept: async ({ body: { since, eventId, dryRun } }) => ({ payload: { since, eventId, dryRun } }),
});
