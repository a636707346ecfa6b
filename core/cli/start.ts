/** `npm start`: runs the whole service on one machine until Ctrl-C. */
import { z } from 'zod';
import { readConfig } from '../runtime/config.ts';
import { productionGaps } from '../runtime/service-config.ts';
import { runProcess } from './run-process.ts';
import { Logins, type Service, StartConfig, startService } from './service.ts';

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
  process.stdout.write(`${(await summaryOf(service, config)).join('\n')}\n`);
  return service;
});

async function summaryOf(service: Service, config: StartConfig): Promise<string[]> {
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
    ...(config.NODE_ENV === 'development' ? await brochureCommand(service, config) : []),
    rule,
  ];
}

/** A command that prints a brochure without further input, with a token for an hour; none when the API already stops. */
async function brochureCommand({ url, logins }: Service, config: StartConfig): Promise<string[]> {
  const client = { ...readConfig(Logins.partial()), ...logins };
  const answer = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.BOOTSTRAP_CLIENT_ID ?? '',
      client_secret: client.BOOTSTRAP_CLIENT_SECRET ?? '',
    }),
  }).catch(() => undefined);
  if (!answer?.ok) return [];
  const { access_token: token } = z.object({ access_token: z.string() }).parse(await answer.json());
  const photo = `http://${config.SANDBOX_HOST}:${config.SANDBOX_PORT}/photos/01.jpg`;
  const listing = { reference_number: 'MP-S-2041', title_en: 'Beachfront villa', price: '14750000', photo: [photo] };
  return [
    '',
    '  Print your first brochure:',
    '',
    `curl ${url}/apps/portal/v1/pdf-new -o brochure.pdf -H 'Accept: application/pdf' \\`,
    `  -H 'Content-Type: application/json' -H 'Authorization: Bearer ${token}' \\`,
    `  -d '${JSON.stringify({ list: [listing] })}'`,
    '',
  ];
}
