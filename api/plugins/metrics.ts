/** `/metrics` for Prometheus: the metrics of this API process and of the whole service, behind the operator login. */
import type { FastifyInstance } from 'fastify';
import { serviceMetricsText } from '../../core/monitoring/service-metrics.ts';
import { registry } from '../../core/telemetry/meter.ts';
import type { ApiServices } from '../services.ts';
import { skipTokenCheck } from './bearer.ts';
import { requireOps } from './ops-login.ts';

export async function mountMetrics(app: FastifyInstance, services: ApiServices): Promise<void> {
  const path = `${services.config.BASE_PATH}/metrics`;
  await app.register(async scraped => {
    skipTokenCheck(scraped);
    scraped.get(path, { config: { operationId: 'ops.readMetrics' } }, async (request, reply) => {
      await requireOps(request, services);
      const whole = await serviceMetricsText(services.conditions, services.logger);
      return reply
        .header('cache-control', 'no-store')
        .type(registry.contentType)
        .send((await registry.metrics()) + whole);
    });
  });
}
