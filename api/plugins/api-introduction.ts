/** Introduction and operation groups of the API document. */
import type { LoadedOperation } from '../http/load-operations.ts';

interface Group {
  name: string;
  description?: string;
}

/** By folder, in page order: for the portal first, for operators last. */
const groups: Readonly<Record<string, Group>> = {
  portal: {
    name: 'Portal',
    description: 'Brochures, locations, leads and users, for the portal and the chat bot.',
  },
  jobs: { name: 'Jobs', description: 'Follow and control jobs of every kind, and get their results.' },
  crm: {
    name: 'CRM',
    description: 'Deals, leads, items and locations of the CRM; terminations of employees.',
  },
  'listing-portal': {
    name: 'Listing portal',
    description: 'The local mirror of the listing portal’s locations.',
  },
  'property-projects': {
    name: 'Property projects',
    description: 'Reference data, users and images of the property-project system.',
  },
  links: { name: 'Short links', description: 'Project and campaign links, their QR codes and clicks.' },
  telephony: { name: 'Telephony', description: 'SMS, and the do-not-call registry.' },
  events: { name: 'Events', description: 'Leads from event orders.' },
  employees: {
    name: 'Employees',
    description: 'Employee records, synchronised with the directory and the CRM.',
  },
  directory: {
    name: 'Identity directory',
    description: 'Users, groups and scheduled changes of user state.',
  },
  schedules: { name: 'Schedules', description: 'Jobs that the service starts at scheduled times.' },
  alerts: { name: 'Alerts', description: 'Current problems of the service, with remediation.' },
  oauth: { name: 'OAuth', description: 'Tokens (RFC 6749, 7009, 7662) and clients.' },
  health: { name: 'Health', description: 'Liveness and readiness.' },
};

/** Falls back to the folder's name. */
export const groupName = (folder: string): string => groups[folder]?.name ?? folder;

/** The groups that have operations, in page order; unknown ones last. */
export function groupsOf(operations: readonly LoadedOperation[]): Group[] {
  const folders = [...new Set(operations.map(({ group }) => group))];
  const known = Object.entries(groups).filter(([folder]) => folders.includes(folder));
  return [
    ...known.map(([, group]) => group),
    ...folders.filter(folder => !(folder in groups)).map(name => ({ name })),
  ];
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

A request that creates something or starts a job accepts an \`Idempotency-Key\`, so that you can safely repeat it.
\`validateOnly: true\` in the body of a job request validates it without starting a job. A result is stored until the
job's \`resultExpiresAt\`; \`POST /jobs/{id}/result-link\` returns a link to it that opens without a token.

Every answer has the client's remaining requests in \`RateLimit\` and \`RateLimit-Policy\`. Above that limit, or above the
limit of unfinished jobs, requests get 429 with \`Retry-After\`. Errors are problem documents (RFC 9457).`;
