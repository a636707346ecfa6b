/** The priority of a job's message. A queue runs lower numbers first, so clients take turns, however many jobs each has waiting. */
import { type SQL, sql } from 'drizzle-orm';

/** BullMQ's highest number is 2,097,151. Later jobs of a client with more open jobs run in the order of their submission. */
const maxPriority = 2_000_000;

/** Number of open jobs of a client and kind. Sorted, so that PostgreSQL reads the client's index entries. */
export const countOpen = (kind: SQL, clientId: SQL, most: SQL = sql.raw(String(maxPriority))): SQL => sql`(
  select count(*)::int from (
    select from job as open where open.kind = ${kind} and open.client_id = ${clientId}
      and open.state in ('queued', 'scheduled', 'running') order by open.priority limit ${most}
  ) as counted)`;

/** The priority of the job that follows `before` open ones of its client. */
export const priorityAfter = (before: SQL): SQL => sql`least(${before} + 1, ${sql.raw(String(maxPriority))})::int`;
