/** `npm run templates [port]`: a live preview of both designs with the samples, until Ctrl-C. */
import { pino } from 'pino';
import { readConfig } from '../../../core/runtime/config.ts';
import { GalleryConfig } from './gallery-config.ts';
import { startPreview } from './preview.ts';

const usualPort = 9300;

const preview = await startPreview(
  readConfig(GalleryConfig),
  Number(process.argv[2] ?? usualPort),
  pino({ level: 'warn' }),
);
process.stdout.write(`The brochures are at ${preview.url}; save a file in templates/ and they follow.\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void preview.close().then(() => process.exit(0)));
}
