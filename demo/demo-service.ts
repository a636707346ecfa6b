/** What the demo and the pictures of the README share: settings, client, and the sample listings. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { createPortalClient, type PdfListing, type PortalClient } from '../client/src/index.ts';
import type { Service } from '../core/cli/service.ts';
import { freePort } from '../core/runtime/free-port.ts';

const samples = path.join(import.meta.dirname, 'listings.json');

/** Own ports and data folder, so that the demo runs beside `npm start`. */
export async function demoEnvironment(): Promise<void> {
  process.env.NODE_ENV = 'development';
  process.env.DATA_DIR = path.join(process.env.DATA_DIR ?? '.data', 'demo');
  process.env.PORT = String(await freePort());
  process.env.SANDBOX_PORT = String(await freePort());
  process.env.LOG_LEVEL ??= 'warn';
  // Only jobs of the demo run.
  process.env.SCHEDULES_OFF = 'all';
  delete process.env.DATABASE_URL;
  delete process.env.DATABASE_URL_FILE;
}

export function connect({ url, logins }: Service): PortalClient {
  return createPortalClient({
    baseUrl: url,
    clientId: logins.BOOTSTRAP_CLIENT_ID ?? process.env.BOOTSTRAP_CLIENT_ID ?? '',
    clientSecret: logins.BOOTSTRAP_CLIENT_SECRET ?? process.env.BOOTSTRAP_CLIENT_SECRET ?? '',
  });
}

const SampleListings = z.object({ list: z.array(z.custom<PdfListing>()) });

export async function sampleListings(sandboxPort: number): Promise<PdfListing[]> {
  const text = (await readFile(samples, 'utf8')).replaceAll('127.0.0.1:9100', `127.0.0.1:${sandboxPort}`);
  return SampleListings.parse(JSON.parse(text)).list;
}
