/** A logger whose lines a test reads. */
import { Writable } from 'node:stream';
import { pino } from 'pino';

export function logLines(level = 'info') {
  const texts: string[] = [];
  const sink = new Writable({
    write(chunk, _, done) {
      texts.push(String(chunk));
      done();
    },
  });
  return {
    logger: pino({ level, base: null, timestamp: false }, sink),
    /** The lines so far, without time and process. */
    lines: (): unknown[] => texts.map(text => JSON.parse(text)),
  };
}
