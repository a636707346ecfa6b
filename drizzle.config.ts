/** For drizzle-kit: `npx drizzle-kit generate` writes the next migration from the tables' definitions. */
import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: './core/db/schema/*.ts',
  out: './core/db/migrations',
});
