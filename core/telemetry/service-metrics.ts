/** What belongs to the service as a whole, read from the database when somebody asks. */
import { Gauge, Registry } from 'prom-client';

export interface ServiceMetrics {
  registry: Registry;
  databaseUp: Gauge;
  jobs: Gauge<'kind' | 'state'>;
  oldestWaitingSeconds: Gauge<'kind'>;
  workers: Gauge<'kind'>;
  alertsOpen: Gauge<'rule'>;
}

/** A new one for each answer: what is no more must not stay in it. */
export function serviceMetrics(): ServiceMetrics {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    databaseUp: new Gauge({
      name: 'portal_database_up',
      help: 'Whether PostgreSQL answered: 1, or 0 when only the answering process could be told of.',
      registers,
    }),
    jobs: new Gauge({
      name: 'portal_jobs',
      help: 'Jobs that are not over: queued, scheduled (tried again later), running, held.',
      labelNames: ['kind', 'state'],
      registers,
    }),
    oldestWaitingSeconds: new Gauge({
      name: 'portal_job_oldest_waiting_seconds',
      help: 'How long the oldest queued job has been waiting; 0 when none waits.',
      labelNames: ['kind'],
      registers,
    }),
    workers: new Gauge({
      name: 'portal_workers',
      help: 'Processes that take jobs of the kind; of the kind scheduler: schedulers.',
      labelNames: ['kind'],
      registers,
    }),
    alertsOpen: new Gauge({
      name: 'portal_alerts_open',
      help: 'Alerts that are open, by rule.',
      labelNames: ['rule'],
      registers,
    }),
  };
}
