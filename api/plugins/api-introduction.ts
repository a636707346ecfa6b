/** What the API document says before its operations, and the groups they stand in. */
import type { LoadedOperation } from '../http/load-operations.ts';

interface Group {
  name: string;
  description?: string;
}

/** By folder, in the order of the page: what the portal needs first, what operations staff need last. */
const groups: Readonly<Record<string, Group>> = {
  portal: {
    name: 'Portal',
    description: 'Brochures, locations, leads and users, for the portal and the chat bot.',
  },
  jobs: { name: 'Jobs', description: 'Follow a job, have its result, steer it; the same for every kind.' },
  crm: {
    name: 'CRM',
    description: 'Deals, leads, items and locations of the CRM; leavers cut off everywhere.',
  },
  'listing-portal': {
    name: 'Listing portal',
    description: 'The local copy of the listing portal’s locations.',
  },
  'property-projects': {
    name: 'Property projects',
    description: 'Reference data, users and images of the property-project system.',
  },
  links: { name: 'Short links', description: 'Links of projects and campaigns, their QR codes and clicks.' },
  telephony: { name: 'Telephony', description: 'SMS, and the do-not-call registry.' },
  events: { name: 'Events', description: 'Event orders that become leads.' },
  employees: {
    name: 'Employees',
    description: 'Employee records, kept in step with the directory and the CRM.',
  },
  directory: {
    name: 'Identity directory',
    description: 'Users, groups and their scheduled changes of state.',
  },
  schedules: { name: 'Schedules', description: 'The jobs that the service starts by the clock.' },
  alerts: { name: 'Alerts', description: 'What is wrong with the service, and what to do about it.' },
  oauth: { name: 'OAuth', description: 'Tokens (RFC 6749, 7009, 7662), and the clients that may have them.' },
  health: { name: 'Health', description: 'Whether the service lives, and whether it can work.' },
};

/** A group that is not told of above goes by its folder's name. */
export const groupName = (folder: string): string => groups[folder]?.name ?? folder;

/** Those that have operations, in their order; the ones that are not told of above come last. */
export function groupsOf(operations: readonly LoadedOperation[]): Group[] {
  const folders = [...new Set(operations.map(({ group }) => group))];
  const told = Object.entries(groups).filter(([folder]) => folders.includes(folder));
  return [
    ...told.map(([, group]) => group),
    ...folders.filter(folder => !(folder in groups)).map(name => ({ name })),
  ];
}

export const introduction = `Brochures of property listings as PDF, and the synchronisations between a real-estate company's systems.

Work that takes time is a **job**: the request is checked and enqueued, answered with 202 and \`Location\`. There are
four ways to learn how it goes: ask there again after \`Retry-After\`, which tells when such a job has usually ended;
send \`Prefer: wait=30\` to hold the answer; listen to the job's event stream, \`/jobs/{id}/events\`; or name a
\`callback\` in the request.

A **callback** is the ended or held job (\`state\`: succeeded, failed, cancelled, held), POSTed as JSON of less than 20 kB to your
\`callback.url\` and signed as [Standard Webhooks](https://www.standardwebhooks.com) describe: the headers
\`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\`, with the secret of \`GET /jobs/callback-secret\`.
Answer any 2xx within 15 seconds; anything else is tried again, ten times within some three days, under the same
\`webhook-id\`. 410 ends the tries. Redirects are not followed, and no private address is called.

A synchronisation whose plan looks like a fault, such as the deletion of half of everything, changes nothing and is
**held**: its \`result\` is what it would come to, \`/jobs/{id}/plan\` has all of it. \`POST /jobs/{id}/release\` lets it
go on with exactly that plan, \`DELETE /jobs/{id}\` drops it, and a later run that succeeds supersedes it.

A request that creates something or starts a job takes an \`Idempotency-Key\`, so that it can be sent again without
harm. \`validateOnly: true\` in the body of a request for a job has it checked, and makes no job. A result is kept until
the job's \`resultExpiresAt\`; \`POST /jobs/{id}/result-link\` gives a link to it that opens without a token.

How many requests a client has left is told with every answer, in \`RateLimit\` and \`RateLimit-Policy\`. Past that, or
past the jobs it may have waiting, it is answered with 429 and \`Retry-After\`. Errors are problem documents (RFC 9457).`;
