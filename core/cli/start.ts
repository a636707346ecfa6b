/** `npm start`: runs the whole service on one machine until Ctrl-C. */
import { productionGaps } from '../runtime/service-config.ts';
import { runProcess } from './run-process.ts';
import { type Service, StartConfig, startService } from './service.ts';
import { answerHelp } from './usage.ts';

answerHelp(`npm start   the whole service on this machine, until Ctrl-C: API, worker, scheduler, and what is not configured of
            PostgreSQL and the outside systems (a sandbox, in development only)

Settings: .env.example`);

await runProcess('start', StartConfig, async (config, logger) => {
  const service = await startService(config, logger, () => {
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  });
  const sandbox =
    config.NODE_ENV === 'production' ? '' : `, sandbox http://${config.SANDBOX_HOST}:${config.SANDBOX_PORT}`;
  const { url } = service;
  logger.info(`Portal Service is ready: API ${url}, docs ${url}/docs, operations ${url}/ops${sandbox}`);
  // To the terminal and not to the log, which is stored and forwarded.
  process.stdout.write(`${summaryOf(service, config).join('\n')}\n`);
  return service;
});

function summaryOf(service: Service, config: StartConfig): string[] {
  const { url, logins } = service;
  const { BOOTSTRAP_CLIENT_ID: id, BOOTSTRAP_CLIENT_SECRET: secret, OPS_USER, OPS_PASSWORD } = logins;
  const rule = '─'.repeat(100);
  return [
    rule,
    `  docs       ${url}/docs`,
    `  studio     ${url}/studio`,
    `  operations ${url}/ops${OPS_USER ? `  ${OPS_USER}  ${OPS_PASSWORD}` : ''}`,
    ...(id ? [`  client     ${id}  ${secret}`] : []),
    ...productionGaps(config).map(gap => `  missing    ${gap}`),
    ...(config.NODE_ENV === 'development' ? brochureCommands(service, config) : []),
    rule,
  ];
}

/** Commands that get a token and print a brochure with it, so that the output has no token. */
function brochureCommands({ url, logins }: Service, config: StartConfig): string[] {
  const { BOOTSTRAP_CLIENT_ID: id = 'CLIENT_ID', BOOTSTRAP_CLIENT_SECRET: secret = 'CLIENT_SECRET' } = logins;
  const photo = `http://${config.SANDBOX_HOST}:${config.SANDBOX_PORT}/photos/01.jpg`;
  const listing = { reference_number: 'MP-S-2041', title_en: 'Beachfront villa', price: '14750000', photo: [photo] };
  return [
    '',
    '  Print your first brochure:',
    '',
    `TOKEN=$(curl -s -u ${id}:${secret} -d grant_type=client_credentials \\`,
    `  ${url}/oauth/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl ${url}/apps/portal/v1/pdf-new -o brochure.pdf -H 'Accept: application/pdf' \\`,
    `  -H 'Content-Type: application/json' -H "Authorization: Bearer $TOKEN" \\`,
    `  -d '${JSON.stringify({ list: [listing] })}'`,
    '',
  ];
}
