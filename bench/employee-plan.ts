/**
 * What it takes to plan an employee resync of 10,000 records, 10,000 users of the directory and the CRM’s, read from the
 * sandbox at its limits. Goal: the plan below 2 s and 300 MB, and no more calls than the paging asks for. The baseline
 * beside it writes the same rows as JSON and reads them again.
 */

import crmSystem from '../core/integrations/crm/system.ts';
import directorySystem from '../core/integrations/directory/system.ts';
import recordsSystem from '../core/integrations/employee-records/system.ts';
import { callsMade, inCallScope } from '../core/integrations/kit/call-context.ts';
import { openSystemGround } from '../core/integrations/kit/context.ts';
import { createLogger } from '../core/runtime/logger.ts';
import { buildSandbox } from '../sandbox/build-sandbox.ts';
import type { EmployeeSources } from '../workers/employee-resync/join.ts';
import { planEmployees } from '../workers/employee-resync/plan.ts';
import { median } from './support/service.ts';

const size = 10_000;
const turns = 9;
const pageLengths = { records: 500, directory: 100 };

const sandbox = await buildSandbox();
const sandboxUrl = await sandbox.listen({ port: 0, host: '127.0.0.1' });
const set = (system: string, settings: object) =>
  fetch(`${sandboxUrl}/control/${system}/settings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });
const print = (line: string) => process.stdout.write(`${line}\n`);
const msOf = (work: () => unknown): number => {
  const begun = performance.now();
  work();
  return performance.now() - begun;
};

try {
  await set('employee-records', { employees: size });
  await set('directory', { users: size });
  const ground = openSystemGround({
    env: {},
    sandboxUrl,
    // One process asks alone: nobody to share the limits with.
    budgets: { take: async () => undefined, block: async () => {} },
    logger: createLogger('bench', { NODE_ENV: 'production', LOG_LEVEL: 'fatal' }),
  });
  const records = recordsSystem.at(ground);
  const { sources, calls } = await inCallScope({ priority: 'background' }, async () => {
    const read: EmployeeSources = {
      records: await records.all(),
      directory: await directorySystem.at(ground).users(),
      crm: await crmSystem.at(ground).users.all(),
    };
    return { sources: read, calls: callsMade() };
  });
  const { directory, crm } = sources;
  // A last page that is full asks for one more, and the count proves that nothing is missing; the CRM gives all at once.
  const least =
    Math.floor(sources.records.length / pageLengths.records) +
    2 +
    Math.ceil(directory.length / pageLengths.directory) +
    1;
  print(`${sources.records.length} records, ${directory.length} users, ${crm.length} of the CRM`);
  print(`${calls} calls  goal ${least}, the least that the paging allows`);

  const options = { asOf: new Date(), known: [], keeps: records.keeps };
  const before = process.memoryUsage().rss;
  const plans: number[] = [];
  const copies: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    plans.push(msOf(() => planEmployees(sources, options)));
    copies.push(msOf(() => JSON.parse(JSON.stringify(sources))));
  }
  const [plan, copy] = [median(plans), median(copies)];
  const { plan: made } = planEmployees(sources, options);
  const again = median(
    Array.from({ length: turns }, () => msOf(() => planEmployees(sources, { ...options, known: made.list }))),
  );
  const grown = process.resourceUsage().maxRSS / 1_024 - before / 1_048_576;
  print(
    `first plan   ${plan.toFixed(0)} ms  goal below 2000; ${(plan / copy).toFixed(2)} times a copy of the rows`,
  );
  print(
    `nightly plan ${again.toFixed(0)} ms  goal below 2000; ${(again / copy).toFixed(2)} times a copy of the rows`,
  );
  print(
    `grown by ${grown.toFixed(0)} MB at most, with ${2 * turns} plans and ${turns} copies  goal below 300`,
  );
} finally {
  await sandbox.close();
}
