/**
 * A container's health check: exit code 0 while the process in it lives. A worker or scheduler shows it by a file that it
 * touches with each sign of life, the API by answering. One process to a container, so what is there tells what runs.
 */
import { statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const signFiles = ['portal-worker-alive', 'portal-scheduler-alive'];
/** Signs are written every few seconds, and only while the database takes them. */
const signGoodForMs = 30_000;
const answerWithinMs = 3_000;

const signs = signFiles.flatMap(
  name => statSync(path.join(os.tmpdir(), name), { throwIfNoEntry: false }) ?? [],
);
const lives =
  signs.length > 0 ? signs.some(({ mtimeMs }) => Date.now() - mtimeMs < signGoodForMs) : await answers();
process.exit(lives ? 0 : 1);

async function answers(): Promise<boolean> {
  const url = `http://127.0.0.1:${process.env.PORT || 9000}/health`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) }).catch(() => undefined);
  return answer?.ok === true;
}
