/** Introduction and operation groups of the API document. */
import type { LoadedOperation } from '../http/load-operations.ts';

/** Folder, name and description, in page order: for the portal first, for operators last. */
const groups: readonly (readonly [folder: string, name: string, description: string])[] = [
  ['portal', 'Portal', 'Brochures, locations, leads and users, for the portal and the chat bot.'],
  ['jobs', 'Jobs', 'Follow and control jobs of every kind, and get their results.'],
  ['crm', 'CRM', 'Deals, leads, items and locations of the CRM; terminations of employees.'],
  ['listing-portal', 'Listing portal', 'The local mirror of the listing portal’s locations.'],
  ['property-projects', 'Property projects', 'Reference data, users and images of the property-project system.'],
  ['links', 'Short links', 'Project and campaign links, their QR codes and clicks.'],
  ['telephony', 'Telephony', 'SMS, and the do-not-call registry.'],
  ['events', 'Events', 'Leads from event orders.'],
  ['employees', 'Employees', 'Employee records, synchronised with the directory and the CRM.'],
  ['directory', 'Identity directory', 'Users, groups and scheduled changes of user state.'],
  ['schedules', 'Schedules', 'Jobs that the service starts at scheduled times.'],
  ['alerts', 'Alerts', 'Current problems of the service, with remediation.'],
  ['oauth', 'OAuth', 'Tokens (RFC 6749, 7009, 7662) and clients.'],
  ['health', 'Health', 'Liveness and readiness.'],
];

/** Falls back to the folder's name. */
export const groupName = (folder: string): string => groups.find(([known]) => known === folder)?.[1] ?? folder;

/** The groups that have operations, in page order; unknown ones last. */
export function groupsOf(operations: readonly LoadedOperation[]): { name: string; description?: string }[] {
  const folders = new Set(operations.map(({ group }) => group));
  const known = groups.filter(([folder]) => folders.delete(folder));
  return [...known.map(([, name, description]) => ({ name, description })), ...[...folders].map(name => ({ name }))];
}

export const introduction = `Brochures of property listings as PDF, and synchronisations between a real-estate company's systems.

Long-running work is a **job**: the request is validated, enqueued and answered with 202 and \`Location\`. To follow the
job, poll it at the interval in \`Retry-After\` (the estimated time to its end); send \`Prefer: wait=30\` to wait for it;
open its event stream, \`/jobs/{id}/events\`; or send a \`callback\` in the request.

A **callback** is a POST to your \`callback.url\` when the job has ended or is held (\`state\`: succeeded, failed, cancelled,
held): less than 20 kB of JSON, signed as [Standard Webhooks](https://www.standardwebhooks.com) describe with the headers
\`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` and the secret of \`GET /jobs/callback-secret\`. Answer
any 2xx within 15 seconds; otherwise it is retried ten times over about three days with the same \`webhook-id\`. 410 stops
the retries. Redirects are not followed, and private addresses are rejected.

A synchronisation with a suspicious plan, such as the deletion of half of all records, changes nothing and is **held**: its
\`result\` summarises the plan, \`/jobs/{id}/plan\` returns it. \`POST /jobs/{id}/release\` executes exactly that plan,
\`DELETE /jobs/{id}\` drops it, and a later successful run supersedes it.

A member of a body or a query parameter that an operation does not know is rejected with 422, its JSON Pointer and the
closest known name. Exceptions: an unknown field of a listing is ignored with the warning \`unknown-field\`, and OAuth forms
may have further parameters. Free-form objects say so.

A request that creates something or starts a job accepts an \`Idempotency-Key\`, so that you can safely repeat it. If your
connection ends before the answer, repeat the request with its key: you get the answer, or the job that it started. Without
a key, look for the job in \`GET /jobs\`. \`Prefer: wait=30, cancel-on-disconnect\` cancels a job that you no longer wait for.
\`validateOnly: true\` in the body of a job request validates it without starting a job. A result is stored until the
job's \`resultExpiresAt\`; \`POST /jobs/{id}/result-link\` returns a link to it that opens without a token.

Every answer has the client's remaining requests in \`RateLimit\` and \`RateLimit-Policy\`. Above that limit, or above the
limit of unfinished jobs, requests get 429 with \`Retry-After\`. Errors are problem documents (RFC 9457).`;
