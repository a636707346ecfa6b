/** How metrics and traces name a process of the service. */
import os from 'node:os';

export interface ProcessName {
  /** `api`, `worker` or `scheduler`. */
  process: string;
  /** Tells processes of the same name apart, on all machines: `host:pid`. */
  instance: string;
}

export const nameProcess = (name: string): ProcessName => ({
  process: name,
  instance: `${os.hostname()}:${process.pid}`,
});
