/** The sandbox: every outside system, simulated over HTTP on one port. For development only. */
import { buildSandbox } from './build-sandbox.ts';

const app = await buildSandbox();
const url = await app.listen({ port: Number(process.env.SANDBOX_PORT || 9100), host: '127.0.0.1' });
if (process.send) process.send({ ready: url });
else process.stdout.write(`The sandbox answers at ${url}; its switches are at ${url}/control.\n`);

for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) {
  process.once(event, async () => {
    await app.close();
    process.exit(0);
  });
}
