/** drizzle-kit compares the tables with the last snapshot only; earlier ones are not kept. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import { expect, it } from 'vitest';
import { rootFolder } from '../../../../core/runtime/discover.ts';

const meta = path.join(rootFolder, 'core/postgres/migrations/meta');

it('has a migration for every change of a table', async () => {
  const last =
    readdirSync(meta)
      .filter(file => file.endsWith('_snapshot.json'))
      .sort()
      .at(-1) ?? '';
  const files = ['core', 'workers'].flatMap(folder =>
    readdirSync(path.join(rootFolder, folder), { recursive: true, encoding: 'utf8' })
      .filter(file => path.basename(file) === 'schema.ts')
      .map(file => path.join(rootFolder, folder, file)),
  );
  const modules = await Promise.all(files.map(file => import(file)));
  const tables = Object.assign({}, ...modules);
  const statements = await generateMigration(
    JSON.parse(readFileSync(path.join(meta, last), 'utf8')),
    generateDrizzleJson(tables),
  );
  expect(statements, 'run npm run migration -- --name what-it-is').toEqual([]);
});
