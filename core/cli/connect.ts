/** The command `npm run connect -- crm`: proposes the settings of the CRM from its field lists. Writes nothing. */
import { existsSync } from 'node:fs';
import { pino } from 'pino';
import crmSystem from '../integrations/crm/system.ts';
import { withCallContext } from '../integrations/kit/call-context.ts';
import { openIntegrationContext } from '../integrations/kit/context.ts';
import { ConfigurationError, readConfig } from '../runtime/config.ts';
import { ServiceError } from '../runtime/errors.ts';
import { SandboxConfig, ServiceConfig } from '../runtime/service-config.ts';

const usage = 'npm run connect -- crm   proposes the settings of the CRM from its field lists; writes nothing\n';
const timeoutMs = 60_000;

async function propose(): Promise<string> {
  const { NODE_ENV, SANDBOX_HOST, SANDBOX_PORT } = readConfig(
    ServiceConfig.pick({ NODE_ENV: true }).extend(SandboxConfig.shape),
  );
  const context = openIntegrationContext({
    sandboxUrl: NODE_ENV === 'development' ? `http://${SANDBOX_HOST}:${SANDBOX_PORT}` : undefined,
    // Three requests, which a running service's budget leaves room for.
    budgets: { take: async () => undefined, block: async () => {} },
    logger: pino({ level: 'silent' }),
  });
  const answering =
    context.sourceOf(crmSystem.configuredBy) === 'sandbox' ? 'the sandbox (CRM_URL is not set)' : 'the CRM';
  const signal = AbortSignal.timeout(timeoutMs);
  const lines = await withCallContext({ priority: 'interactive', retries: false, signal }, () =>
    crmSystem.client(context).settings.propose(),
  );
  return [
    `# Proposed from the names in ${answering}; nothing was written. Check each line, copy it into .env,`,
    '# then run `npm run doctor`.',
    ...lines,
    '',
  ].join('\n');
}

async function main(): Promise<number> {
  if (process.argv.slice(2).join() !== 'crm') {
    process.stderr.write(usage);
    return 1;
  }
  if (existsSync('.env')) process.loadEnvFile('.env');
  try {
    process.stdout.write(await propose());
    return 0;
  } catch (error) {
    if (!(error instanceof ServiceError || error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message} Check CRM_URL with \`npm run doctor\`.\n`);
    return 1;
  }
}

process.exit(await main());
