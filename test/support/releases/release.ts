/** The recorded releases, as `record.ts` wrote them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ReleaseData } from './exercise-service.ts';
import { RedisKey } from './redis-keys.ts';

const Waiting = z.record(z.string(), z.string()).describe('Job ids by job description.');

const Release = z.object({
  version: z.string(),
  recordedAt: z.iso.datetime(),
  migrations: z.array(z.object({ tag: z.string(), sha256: z.string() })),
  accessToken: z.string(),
  clientSecret: z.string(),
  kept: ReleaseData,
  waiting: z.object({ postgres: Waiting, redis: Waiting }),
});

export const Tables = z.array(z.object({ table: z.string(), rows: z.array(z.record(z.string(), z.unknown())) }));

export type Release = z.infer<typeof Release> & {
  /** SQL that creates the tables, and records the migrations as applied. */
  schema: string;
  tables: z.infer<typeof Tables>;
  redisKeys: RedisKey[];
  /** Folder with the files of the result store. */
  resultsFolder: string;
};

/** All recorded releases, the oldest first. */
export function recordedReleases(): Release[] {
  const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter(
    entry => entry.isDirectory() && existsSync(path.join(entry.parentPath, entry.name, 'release.json')),
  );
  return folders
    .map(({ parentPath, name }) => readRelease(path.join(parentPath, name)))
    .sort((one, other) => one.recordedAt.localeCompare(other.recordedAt));
}

function readRelease(folder: string): Release {
  const read = (name: string): unknown => JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
  return {
    ...Release.parse(read('release.json')),
    schema: readFileSync(path.join(folder, 'schema.sql'), 'utf8'),
    tables: Tables.parse(read('tables.json')),
    redisKeys: z.array(RedisKey).parse(read('redis.json')),
    resultsFolder: path.join(folder, 'results'),
  };
}
