/**
 * Health check of a container with one process; exit code 0: healthy. A worker or scheduler touches a file with each
 * heartbeat; without such a file the process is the API, which must answer `/health`.
 */
import { statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const heartbeatFiles = ['portal-worker-alive', 'portal-scheduler-alive'];
/** Heartbeats come every few seconds, only while the database accepts them. */
const heartbeatMaxAgeMs = 30_000;
const answerTimeoutMs = 3_000;

const heartbeats = heartbeatFiles.flatMap(
  name => statSync(path.join(os.tmpdir(), name), { throwIfNoEntry: false }) ?? [],
);
const isHealthy =
  heartbeats.length > 0 ? heartbeats.some(({ mtimeMs }) => Date.now() - mtimeMs < heartbeatMaxAgeMs) : await answers();
process.exit(isHealthy ? 0 : 1);

async function answers(): Promise<boolean> {
  const url = `http://127.0.0.1:${process.env.PORT || 9000}/health`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(answerTimeoutMs) }).catch(() => undefined);
  return answer?.ok === true;
}
