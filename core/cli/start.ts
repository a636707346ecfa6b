/** `npm start`: runs the whole service on one machine until Ctrl-C. */
import { runProcess } from './run-process.ts';
import { type Service, StartConfig, startService } from './service.ts';

await runProcess('start', StartConfig, async (config, logger) => {
  const service = await startService(config, logger, () => {
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  });
  const sandbox =
    config.NODE_ENV === 'production' ? '' : `, sandbox http://${config.SANDBOX_HOST}:${config.SANDBOX_PORT}`;
  const { url } = service;
  logger.info(`Portal Service is ready: API ${url}, docs ${url}/docs, operations ${url}/ops${sandbox}`);
  printLogins(service);
  return service;
});

/** To the terminal and not to the log, which is stored and forwarded. */
function printLogins({ logins }: Service): void {
  const { BOOTSTRAP_CLIENT_ID, BOOTSTRAP_CLIENT_SECRET, OPS_USER, OPS_PASSWORD } = logins;
  if (BOOTSTRAP_CLIENT_ID) process.stdout.write(`  client     ${BOOTSTRAP_CLIENT_ID}  ${BOOTSTRAP_CLIENT_SECRET}\n`);
  if (OPS_USER) process.stdout.write(`  operations ${OPS_USER}  ${OPS_PASSWORD}\n`);
}
