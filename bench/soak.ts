/**
 * Whether the service stays as it is under load: an hour's worth of mixed work, done as fast as the machine can, with
 * the memory of each process after each tenth, and what is open before and after. Linux only.
 *
 * An hour's worth, by what a busy day of a brokerage comes to: 600 brochures, 60 synchronisations and enrichments, 500
 * SMS, 120 leads, 20,000 short links opened, 5,000 reads. `npm run bench -- soak 0.1` does a tenth of it; a number
 * above 1 more. Exit code 1 when the memory of a process is not flat after the first tenths, or something is left open.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { freePort } from '../core/launch/free-port.ts';
import { listingsFor } from './support/listings.ts';
import { type BenchService, startBenchService } from './support/service.ts';
import { type Footprint, footprintOf, growth, openThings } from './support/footprint.ts';

const share = Number(process.argv.at(-1)) || 1;
const hour = { brochures: 600, synchronisations: 60, sms: 500, leads: 120, redirects: 20_000, reads: 5_000 };
const tenths = 10;
/** Tenths in which caches fill and pools open. */
const warmUp = 4;
/** What a process may grow by from then to the end: of what it had, and in MB for the small ones. */
const mayGrow = { part: 0.15, megabytes: 40 };

const say = (text: string) => process.stdout.write(`${text}\n`);

const redisPort = process.env.REDIS_URL ? undefined : await freePort();
void redisPort;
