/** The sandbox: every outside system, simulated over HTTP on one port. For development only. */
import { buildSandbox } from './build-sandbox.ts';

const port = Number(process.env.SANDBOX_PORT || 9100);
const app = await buildSandbox();
const url = await app.listen({ port, host: '127.0.0.1' }).catch((error: Error) => {
  process.stderr.write(
    `The sandbox cannot answer on SANDBOX_PORT ${process.env.SANDBOX_PORT ?? port}: ${error.message}\n`,
  );
  process.exit(1);
});
if (process.send) process.send({ ready: url });
else process.stdout.write(`The sandbox answers at ${url}; its switches are at ${url}/control.\n`);

for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) {
  process.once(event, async () => {
    await app.close();
    process.exit(0);
  });
}
