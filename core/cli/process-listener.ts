/** Listener of one process at METRICS_PORT, for its probes and for scrapes of its own metrics; has no login. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { ServiceConfig } from '../runtime/service-config.ts';
import type { Logger } from '../telemetry/logger.ts';
import { registry } from '../telemetry/meter.ts';
import { nameProcess } from '../telemetry/process-metrics.ts';
import { metricsText } from '../telemetry/scrape.ts';
import { requireFreePort } from './free-port.ts';

export type ProcessListener = Awaited<ReturnType<typeof startProcessListener>>;

/** @param isHealthy makes `/health` answer 200 instead of 503 */
export async function startProcessListener(
  name: string,
  { METRICS_PORT: port, HOST: host }: Pick<ServiceConfig, 'METRICS_PORT' | 'HOST'>,
  logger: Logger,
  isHealthy: () => boolean,
) {
  if (port === undefined) return { stop: async () => undefined };
  await requireFreePort('METRICS_PORT', port, host);
  const paths: Record<string, (response: ServerResponse) => Promise<unknown>> = {
    '/health': async response => {
      const status = isHealthy() ? 'pass' : 'fail';
      response.writeHead(status === 'pass' ? 200 : 503, { 'content-type': 'application/health+json' });
      response.end(JSON.stringify({ status }));
    },
    '/metrics': async response => {
      const text = await metricsText(nameProcess(name));
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    },
  };
  const server = createServer((request, response) => {
    const answer = paths[request.url ?? ''];
    if (!answer) return response.writeHead(404).end('This process answers /health and /metrics.\n');
    answer(response).catch(error => {
      logger.error({ err: error, path: request.url }, 'a request to METRICS_PORT failed');
      response.writeHead(500).end();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
