/**
 * Measures the plan of an employee resync with 10,000 records, 10,000 directory users and the CRM's users, read from the
 * sandbox. Goals: plan below 2 s and 300 MB, and the minimum number of calls that paging allows. Baseline: serialise
 * the same rows as JSON and parse them.
 */

import crmSystem from '../core/integrations/crm/system.ts';
import directorySystem from '../core/integrations/directory/system.ts';
import recordsSystem from '../core/integrations/employee-records/system.ts';
import { callsMade, withCallContext } from '../core/integrations/kit/call-context.ts';
import { openIntegrationContext } from '../core/integrations/kit/context.ts';
import { createLogger } from '../core/telemetry/logger.ts';
import { buildSandbox } from '../sandbox/build-sandbox.ts';
import type { EmployeeSources } from '../workers/employee-resync/join.ts';
import { planEmployees } from '../workers/employee-resync/plan.ts';
import { median } from './support/measure.ts';
import { figure } from './support/results.ts';

const size = 10_000;
const rounds = 9;
const pageLengths = { records: 500, directory: 100 };

const sandbox = await buildSandbox();
const sandboxUrl = await sandbox.listen({ port: 0, host: '127.0.0.1' });
const changeSettings = (system: string, settings: object) =>
  fetch(`${sandboxUrl}/control/${system}/settings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });
const msOf = (work: () => unknown): number => {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
};

try {
  await changeSettings('employee-records', { employees: size });
  await changeSettings('directory', { users: size });
  const context = openIntegrationContext({
    env: {},
    sandboxUrl,
    // A single process does not share call limits.
    budgets: { take: async () => undefined, block: async () => {} },
    logger: createLogger('bench', { NODE_ENV: 'production', LOG_LEVEL: 'fatal' }),
  });
  const records = recordsSystem.client(context);
  const { sources, calls } = await withCallContext({ priority: 'background' }, async () => {
    const read: EmployeeSources = {
      records: await records.all(),
      directory: await directorySystem.client(context).users(),
      crm: await crmSystem.client(context).users.all(),
    };
    return { sources: read, calls: callsMade() };
  });
  const { directory, crm } = sources;
  // A full last page needs one more call, the records' count one, and the CRM one for all users; the directory's pages
  // overlap by one row.
  const minimumCalls =
    Math.floor(sources.records.length / pageLengths.records) +
    2 +
    Math.ceil((directory.length - 1) / (pageLengths.directory - 1)) +
    1;
  process.stdout.write(`${sources.records.length} records, ${directory.length} users, ${crm.length} of the CRM\n`);
  figure('calls', calls, '', { baseline: minimumCalls, goal: '1' });

  const options = { asOf: new Date(), known: [], isStored: records.hasField };
  const before = process.memoryUsage().rss;
  const plans: number[] = [];
  const copies: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    plans.push(msOf(() => planEmployees(sources, options)));
    copies.push(msOf(() => JSON.parse(JSON.stringify(sources))));
  }
  const [plan, copy] = [median(plans), median(copies)];
  const { plan: made } = planEmployees(sources, options);
  const again = median(
    Array.from({ length: rounds }, () => msOf(() => planEmployees(sources, { ...options, known: made.list }))),
  );
  const grown = process.resourceUsage().maxRSS / 1_024 - before / 1_048_576;
  figure('first plan, of a copy of the rows', plan, 'ms', { baseline: copy, goal: 'under 2,000 ms' });
  figure('nightly plan, of a copy of the rows', again, 'ms', { baseline: copy, goal: 'under 2,000 ms' });
  figure(`peak memory growth with ${2 * rounds} plans and ${rounds} copies`, grown, 'MB', { goal: 'under 300' });
} finally {
  await sandbox.close();
}
