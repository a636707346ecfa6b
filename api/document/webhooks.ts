/** The requests that the service sends, signed as Standard Webhooks define: callbacks of jobs, and alerts. */
import { z } from 'zod';
import { AlertNews } from '../../core/alerts/alert.ts';
import { CallbackMessage } from '../../core/callbacks/message.ts';
import type { JsonObject } from './examples.ts';

const AlertMessage = z
  .object({
    type: z.literal('alerts.changed').describe('The event.'),
    timestamp: z.iso.datetime().describe('When it happened.'),
    data: AlertNews.omit({ at: true })
      .extend({ page: z.url().describe('Address of the operations page.') })
      .describe('The alerts, by what happened to them.'),
  })
  .meta({ id: 'AlertMessage' });

/** By id. */
export const webhookBodies = { JobCallbackMessage: CallbackMessage, AlertMessage };

const header = (name: string, description: string) => ({
  ...{ name, in: 'header', required: true, description },
  schema: { type: 'string' },
});

function message(body: keyof typeof webhookBodies, description: string): { post: JsonObject } {
  const [summary = ''] = description.split('\n');
  return {
    post: {
      ...{ summary, description, security: [] },
      parameters: [
        header('webhook-id', 'The same for each try of a message: recognises repeats.'),
        header('webhook-timestamp', 'Time of the try in seconds since 1970; reject old ones.'),
        header(
          'webhook-signature',
          '`v1,` and the HMAC-SHA-256 of id, timestamp and body in base64; one per live secret.',
        ),
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${body}` } } },
      },
      responses: {
        '2XX': { description: 'The message is accepted.' },
        '410': { description: 'The receiver no longer exists: the message is not sent again.' },
        '4XX': { description: 'The message is sent again.' },
      },
    },
  };
}

const jobEnded = message(
  'JobCallbackMessage',
  `A job has ended, or is held.
Sent to \`callback.url\` of the request that started the job: the job with the type and time of the event, less than 20 kB. Signed
with the secret of \`GET /jobs/callback-secret\`. Answer any 2xx within 15 seconds; otherwise it is sent again ten times over
about three days. Redirects are not followed, and private addresses are rejected.`,
);

const alertsChanged = message(
  'AlertMessage',
  `Alerts have opened or are resolved.
Sent to \`ALERT_WEBHOOK_URL\`, signed with \`ALERT_WEBHOOK_SECRET\`.`,
);

/** Each has an id of its own. */
const named = (operationId: string, { post }: ReturnType<typeof message>) => ({ post: { operationId, ...post } });

export const webhooks: JsonObject = {
  jobEnded: named('webhooks.jobEnded', jobEnded),
  alertsChanged: named('webhooks.alertsChanged', alertsChanged),
};

export const callbacks: JsonObject = {
  JobEnded: { '{$request.body#/callback/url}': named('callbacks.jobEnded', jobEnded) },
};
