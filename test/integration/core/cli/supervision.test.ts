import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { type SupervisedProcess, superviseProcess } from '../../../../core/cli/supervision.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const logger = pino({ level: 'silent' });
let supervised: SupervisedProcess | undefined;
afterEach(() => supervised?.stop(1_000));

/** Supervises a script whose number of starts is in `STARTS`. */
function supervise(script: string, onGivenUp: (exitCode: number) => void): SupervisedProcess {
  const folder = temporaryFolder();
  const file = path.join(folder, 'script.mjs');
  const counter = path.join(folder, 'starts');
  writeFileSync(counter, '');
  writeFileSync(
    file,
    `import { appendFileSync, readFileSync } from 'node:fs';
     appendFileSync(${JSON.stringify(counter)}, '.');
     const starts = readFileSync(${JSON.stringify(counter)}).length;
     ${script}`,
  );
  supervised = superviseProcess('script', file, process.env, { logger, onGivenUp });
  return supervised;
}

it('gives up a process whose first three starts end with an error', async () => {
  const onGivenUp = vi.fn();
  await expect(supervise('process.exit(3)', onGivenUp).ready).rejects.toThrow('The script process could not start.');
  expect(onGivenUp.mock.calls).toEqual([[3]]);
});

it('starts a process again that was killed from outside before it was first ready, also after three times', async () => {
  const onGivenUp = vi.fn();
  const script = `starts <= 3 ? process.kill(process.pid, 'SIGKILL') : process.send({ ready: 'start ' + starts });
                  setInterval(() => {}, 1_000);`;
  expect(await supervise(script, onGivenUp).ready).toBe('start 4');
  expect(onGivenUp).not.toHaveBeenCalled();
});

it('gives up at once when the configuration is invalid', async () => {
  const onGivenUp = vi.fn();
  await expect(supervise('process.exit(78)', onGivenUp).ready).rejects.toThrow('could not start');
  expect(onGivenUp.mock.calls).toEqual([[78]]);
});
