/** Where statements go: the database itself, or a transaction in it. */
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';

export type Db = Pick<NodePgDatabase, 'select' | 'update' | 'insert' | 'delete' | 'execute'>;
