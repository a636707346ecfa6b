/** `npm run templates [port]`: a live preview of both designs with the samples, until SIGINT or SIGTERM. */
import { pino } from 'pino';
import { readConfig } from '../../../core/runtime/config.ts';
import { GalleryConfig } from './config.ts';
import { startPreview } from './preview.ts';

const defaultPort = 9300;

const preview = await startPreview(
  readConfig(GalleryConfig),
  Number(process.argv[2] ?? defaultPort),
  pino({ level: 'warn' }),
);
process.stdout.write(`The preview is at ${preview.url}; it reloads when a file in templates/ is saved.\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void preview.close().then(() => process.exit(0)));
}
