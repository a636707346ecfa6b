/** The command `npm run connect -- SYSTEM`: proposes settings from the fields of an outside system. Writes nothing. */
import { existsSync } from 'node:fs';
import { pino } from 'pino';
import { withCallContext } from '../integrations/kit/call-context.ts';
import { openIntegrationContext } from '../integrations/kit/context.ts';
import { discoverSystems, type System } from '../integrations/kit/define-system.ts';
import { nameOf } from '../integrations/kit/upstream-error.ts';
import { ConfigurationError, readConfig } from '../runtime/config.ts';
import { ServiceError } from '../runtime/errors.ts';
import { SandboxConfig, ServiceConfig } from '../runtime/service-config.ts';

const timeoutMs = 60_000;

type ProposingSystem = System & Required<Pick<System, 'proposeSettings'>>;

const proposes = (system: System): system is ProposingSystem => system.proposeSettings !== undefined;

function openContext() {
  const { NODE_ENV, SANDBOX_HOST, SANDBOX_PORT } = readConfig(
    ServiceConfig.pick({ NODE_ENV: true }).extend(SandboxConfig.shape),
  );
  return openIntegrationContext({
    sandboxUrl: NODE_ENV === 'development' ? `http://${SANDBOX_HOST}:${SANDBOX_PORT}` : undefined,
    // A few requests, which a running service's budget leaves room for.
    budgets: { take: async () => undefined, block: async () => {} },
    logger: pino({ level: 'silent' }),
  });
}

async function propose(system: ProposingSystem): Promise<string> {
  const context = openContext();
  const { configuredBy } = system;
  const answering =
    context.sourceOf(configuredBy) === 'sandbox' ? `the sandbox (${configuredBy} is not set)` : nameOf(system);
  const signal = AbortSignal.timeout(timeoutMs);
  const lines = await withCallContext({ priority: 'interactive', retries: false, signal }, () =>
    system.proposeSettings(context),
  );
  return [
    `# Proposed from the names in ${answering}; nothing was written. Check each line, copy it into .env,`,
    '# then run `npm run doctor`.',
    ...lines,
    '',
  ].join('\n');
}

/** @throws an error that is a bug */
function reasonOf(error: unknown, system: System): string {
  const mistake = system.mistakeOf(error);
  if (mistake) return `${mistake.found}: ${mistake.fix}.`;
  if (!(error instanceof ServiceError || error instanceof ConfigurationError)) throw error;
  return `${error.message} Check ${system.configuredBy} with \`npm run doctor\`.`;
}

async function main(): Promise<number> {
  const systems = (await discoverSystems()).filter(proposes);
  const given = process.argv.slice(2).join();
  const system = systems.find(({ name }) => name === given);
  if (!system) {
    const usage = systems.map(({ name, title }) => `npm run connect -- ${name}   ${title}\n`).join('');
    process.stderr.write(`Proposes the settings of an outside system from its fields; writes nothing:\n${usage}`);
    return 1;
  }
  if (existsSync('.env')) process.loadEnvFile('.env');
  try {
    process.stdout.write(await propose(system));
    return 0;
  } catch (error) {
    process.stderr.write(`${reasonOf(error, system)}\n`);
    return 1;
  }
}

process.exit(await main());
