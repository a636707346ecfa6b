/** `npm start`: the whole service on one machine, left running until Ctrl-C. */
import { runProcess } from './run-process.ts';
import { LaunchConfig, type Service, startService } from './service.ts';

await runProcess('start', LaunchConfig, async (config, logger) => {
  const service = await startService(config, logger, () => {
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  });
  const sandbox =
    config.NODE_ENV === 'production' ? '' : `, sandbox http://${config.SANDBOX_HOST}:${config.SANDBOX_PORT}`;
  const { url } = service;
  logger.info(`Portal Service is ready: API ${url}, docs ${url}/docs, operations ${url}/ops${sandbox}`);
  tellLogins(service);
  return service;
});

/** To the terminal, not to the log: a log is kept and passed on. */
function tellLogins({ logins }: Service): void {
  const { BOOTSTRAP_CLIENT_ID, BOOTSTRAP_CLIENT_SECRET, OPS_USER, OPS_PASSWORD } = logins;
  if (BOOTSTRAP_CLIENT_ID)
    process.stdout.write(`  client     ${BOOTSTRAP_CLIENT_ID}  ${BOOTSTRAP_CLIENT_SECRET}\n`);
  if (OPS_USER) process.stdout.write(`  operations ${OPS_USER}  ${OPS_PASSWORD}\n`);
}
