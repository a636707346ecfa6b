/**
 * Released migrations never change. A later one that says it is additive only adds: processes of earlier versions use the new
 * database during a rollout, and after it was undone.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isAdditive } from '../../../../core/postgres/migrate.ts';
import { rootFolder } from '../../../../core/runtime/discover.ts';
import { recordedReleases } from '../../../support/releases/release.ts';

const folder = path.join(rootFolder, 'core/postgres/migrations');
const Journal = z.object({ entries: z.array(z.object({ tag: z.string() })) });
const tags = Journal.parse(JSON.parse(readFileSync(path.join(folder, 'meta/_journal.json'), 'utf8'))).entries.map(
  ({ tag }) => tag,
);
const sqlOf = (tag: string): string => readFileSync(path.join(folder, `${tag}.sql`), 'utf8');

/** Those of 0.x had other migrations, which the baseline replaces. */
const releases = recordedReleases().filter(({ version }) => !version.startsWith('0.'));

/** Changes that break processes of the previous version, each with the alternative. */
const breaking: readonly [what: RegExp, instead: string][] = [
  [
    /\bDROP\s+(TABLE|COLUMN|TYPE|SCHEMA|VIEW|EXTENSION|SEQUENCE)\b/i,
    'remove it in the release after the code that uses it',
  ],
  [/\bRENAME\b/i, 'add the new name, write both, and remove the old one in a later release'],
  [/\bALTER\s+COLUMN\s+\S+\s+(SET\s+DATA\s+)?TYPE\b/i, 'add a column of the new type and migrate to it'],
  [/\bSET\s+NOT\s+NULL\b/i, 'allow null until no process of the previous version writes it'],
  [/\bADD\s+COLUMN\b(?=[^;]*\bNOT\s+NULL\b)(?![^;]*\b(DEFAULT|GENERATED)\b)/i, 'give the column a default'],
  [/\b(TRUNCATE|DELETE\s+FROM)\b/i, 'keep the rows: the previous version may still read them'],
];

/** @param sql of one migration @returns a sentence for each breaking change */
function breakingChanges(sql: string): string[] {
  // Without function bodies, which run later, and without comments and string literals.
  const bare = sql
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, '')
    .replace(/--.*$/gm, '')
    .replace(/'(?:[^']|'')*'/g, "''");
  return breaking.flatMap(([what, instead]) => {
    const found = what.exec(bare)?.[0];
    return found === undefined ? [] : [`${found.replace(/\s+/g, ' ')}: ${instead}`];
  });
}

describe('released migrations', () => {
  it('are unchanged and come first', () => {
    for (const { version, migrations } of releases) {
      const changed = migrations.filter(
        ({ tag, sha256 }) => createHash('sha256').update(sqlOf(tag)).digest('hex') !== sha256,
      );
      expect([version, changed.map(({ tag }) => tag)]).toEqual([version, []]);
      expect(tags.slice(0, migrations.length)).toEqual(migrations.map(({ tag }) => tag));
    }
  });
});

describe('migrations after the baseline', () => {
  const later = tags.slice(1);

  it('say in their first line whether they are additive', () =>
    expect(later.filter(tag => !/^-- (additive|breaking: \S.*)\n/.test(sqlOf(tag)))).toEqual([]));

  it('only add to the database when they say so', () => {
    const additive = later.filter(tag => isAdditive(sqlOf(tag)));
    const changes = additive.flatMap(tag => breakingChanges(sqlOf(tag)).map(change => `${tag}: ${change}`));
    expect(changes).toEqual([]);
  });

  it.each([
    'DROP TABLE "job";',
    'ALTER TABLE "job" DROP COLUMN "state";',
    'ALTER TABLE "job" RENAME COLUMN "state" TO "status";',
    'ALTER TABLE "job" ALTER COLUMN "state" SET DATA TYPE integer;',
    'ALTER TABLE "job" ALTER COLUMN "error" SET NOT NULL;',
    'ALTER TABLE "job" ADD COLUMN "tenant" text NOT NULL;',
    'DELETE FROM job;',
  ])('are rejected with: %s', sql => expect(breakingChanges(sql)).toHaveLength(1));

  it.each([
    'ALTER TABLE "job" ADD COLUMN "tenant" text;',
    'ALTER TABLE "job" ADD COLUMN "at" timestamptz DEFAULT now() NOT NULL;',
    'CREATE TABLE "alert" ("id" uuid NOT NULL);\nCREATE INDEX "a" ON "alert" ("id");',
    "COMMENT ON TABLE job IS 'DROP TABLE job';",
    'CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM job; END $$;',
  ])('may contain: %s', sql => expect(breakingChanges(sql)).toEqual([]));
});
