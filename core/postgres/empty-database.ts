/** Empties a database of the service: the next migration begins from nothing. */
import pg from 'pg';

/** Everything in it is lost. @param url of a database that belongs to the service alone */
export async function emptyDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "select quote_ident(nspname) as name from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'",
    );
    for (const { name } of rows) await client.query(`drop schema ${name} cascade`);
    await client.query('create schema public');
  } finally {
    await client.end();
  }
}
