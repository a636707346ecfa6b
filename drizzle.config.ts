/** For drizzle-kit: `npx drizzle-kit generate` writes the next migration from the tables' definitions. */
import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: './{core,workers}/**/schema.ts',
  out: './core/postgres/migrations',
});
