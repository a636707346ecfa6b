/** What operations may use of the service, handed to each of them. */
import type { Logger } from 'pino';
import type { JobInputs } from '../core/db/job-inputs.ts';
import type { OauthStore } from '../core/db/oauth.ts';
import type { WorkerSigns } from '../core/db/worker-signs.ts';
import type { JobRecords } from '../core/job-record.ts';
import type { JobContract } from '../core/jobs/define-job.ts';
import type { JobDesk } from '../core/jobs/job-desk.ts';
import type { Queues } from '../core/jobs/queues.ts';
import type { ServiceConfig } from '../core/service-config.ts';
import type { Store } from '../core/storage/store.ts';
import type { ApiConfig } from './config.ts';
import type { JobWatch } from './job-watch.ts';

export interface ApiServices {
  config: ServiceConfig & ApiConfig;
  publicUrl: string;
  logger: Logger;
  contracts: ReadonlyMap<string, JobContract>;
  queues: Queues;
  desk: JobDesk;
  records: JobRecords;
  inputs: JobInputs;
  watch: JobWatch;
  oauth: OauthStore;
  signs: WorkerSigns;
  results: Store;
  /** @throws when PostgreSQL does not answer */
  pingDatabase(): Promise<void>;
}
