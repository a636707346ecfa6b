/** The command `npm run doctor`: runs all checks and prints findings and fixes. */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  type CheckResult,
  coreChecks,
  linesOf,
  reportOf,
  runChecks,
  summaryOf,
  workerChecks,
} from '../core/doctor/check.ts';
import { openContext } from '../core/doctor/context.ts';

const usage = `npm run doctor            a line for each check; exit code 1 when something fails
npm run doctor -- --json  the same as JSON
`;

async function runDoctor(asJson: boolean): Promise<number> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const context = openContext(process.env);
  try {
    const checks = [...(await coreChecks()), ...(await workerChecks())];
    const results: CheckResult[] = [];
    const withColour = process.stdout.isTTY && !process.env.NO_COLOR;
    for (const running of runChecks(checks, context)) {
      const result = await running;
      results.push(result);
      if (!asJson) process.stdout.write(`${linesOf(result, withColour)}\n`);
    }
    const report = reportOf(results);
    process.stdout.write(asJson ? `${JSON.stringify(report, null, 2)}\n` : `\n${summaryOf(report)}\n`);
    return report.status === 'failure' ? 1 : 0;
  } finally {
    await context.close();
  }
}

function readArguments(): { json: boolean } | undefined {
  try {
    const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
    return values;
  } catch {
    return undefined;
  }
}

const given = readArguments();
if (given === undefined) process.stderr.write(usage);
// Ends also while a check hangs.
process.exit(given === undefined ? 1 : await runDoctor(given.json));
