/** The services that handlers receive when they open. */
import type { AppContext } from '../core/app.ts';
import type { ServiceConfig } from '../core/runtime/service-config.ts';

export interface WorkerServices
  extends Pick<
    AppContext,
    'logger' | 'dataFolder' | 'inputs' | 'results' | 'database' | 'systems' | 'effects' | 'secrets'
  > {
  config: ServiceConfig;
}
