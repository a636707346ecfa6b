import eventOrders, { EventOrdersRequest } from '../../../workers/event-orders/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';

export default defineJobOperation({
  summary:
    'Start a job that reads event orders since the last run and creates one lead for each guest of an event, also when it is repeated.',
  id: 'events.processOrders',
  route: 'POST /apps/events/v1/orders/process',
  scope: 'events',
  request: { body: EventOrdersRequest },
  job: eventOrders,
  accept: async ({ body: { since, eventId, dryRun } }) => ({ payload: { since, eventId, dryRun } }),
});
