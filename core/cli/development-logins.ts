/** In development a first client and a login of operations exist without anyone setting them up; kept in the data folder. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { newCredential } from '../oauth/credentials.ts';

const Logins = z.object({
  BOOTSTRAP_CLIENT_ID: z.string(),
  BOOTSTRAP_CLIENT_SECRET: z.string(),
  OPS_USER: z.string(),
  OPS_PASSWORD: z.string(),
});
export type Logins = z.infer<typeof Logins>;

/** The same at every start, so that a script that knows them goes on working. */
export async function developmentLogins(dataFolder: string): Promise<Logins> {
  const file = path.join(dataFolder, 'development-logins.json');
  const kept = Logins.safeParse(await readJson(file));
  if (kept.success) return kept.data;
  const made: Logins = {
    BOOTSTRAP_CLIENT_ID: 'development',
    BOOTSTRAP_CLIENT_SECRET: newCredential('secret'),
    OPS_USER: 'ops',
    OPS_PASSWORD: newCredential('secret'),
  };
  await writeFile(file, JSON.stringify(made, null, 2), { mode: 0o600 });
  return made;
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
