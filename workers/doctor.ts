/** `npm run doctor`: looks at all that the service stands on, and says of each what was found and how to mend it. */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { coreChecks, workerChecks } from '../core/doctor/check.ts';
import { openContext } from '../core/doctor/context.ts';
import { linesOf, reportOf, summaryOf } from '../core/doctor/report.ts';
import { type Checked, runChecks } from '../core/doctor/run-checks.ts';

const usage = `npm run doctor            a line for each check; exit code 1 when something fails
npm run doctor -- --json  the same as JSON
`;

async function examine(asJson: boolean): Promise<number> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const context = openContext(process.env);
  try {
    const checks = [...(await coreChecks()), ...(await workerChecks())];
    const checked: Checked[] = [];
    const withColour = process.stdout.isTTY && !process.env.NO_COLOR;
    for (const running of runChecks(checks, context)) {
      const one = await running;
      checked.push(one);
      if (!asJson) process.stdout.write(`${linesOf(one, withColour)}\n`);
    }
    const report = reportOf(checked);
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
// A check that hangs must not keep the command from ending.
process.exit(given === undefined ? 1 : await examine(given.json));
