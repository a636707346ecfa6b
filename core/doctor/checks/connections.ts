/** Connections to PostgreSQL: those that all processes may open together, and whether a pooler keeps their sessions. */
import { QueueConfig } from '../../jobs/config.ts';
import { configuredDatabase, DatabaseConfig } from '../../postgres/client.ts';
import { connectionProblem, poolerProblem, withConnection } from '../../postgres/connection.ts';
import { countConnections, isPooler } from '../../postgres/connections.ts';
import { redisAddress } from '../../redis/connection.ts';
import { type CheckFinding, failure, ok, warning } from '../../runtime/finding.ts';
import { type Check, defineCheck } from '../check.ts';
import { type DoctorContext, onWorkingDatabase } from '../context.ts';

export default defineCheck({
  name: 'connections',
  timeoutMs: 90_000,
  async run(context): ReturnType<Check['run']> {
    const { DATABASE_POOL, ...config } = context.read(DatabaseConfig);
    const { url, directUrl } = configuredDatabase(config) ?? {};
    const isPooled = url !== directUrl;
    const { counted, isDirect } = await onWorkingDatabase(context, async client => ({
      counted: await countConnections(client, {
        poolSize: isPooled ? undefined : DATABASE_POOL,
        hasRedis: redisAddress(context.read(QueueConfig)) !== undefined,
      }),
      isDirect: !(await isPooler(client)),
    }));
    const findings = [...connectionFindings(counted, isPooled)];
    if (!isDirect) findings.push(failure(poolerProblem.found, poolerProblem.fix));
    if (isPooled && url !== undefined) findings.push(...(await pooledFindings(url, context)));
    return findings;
  },
});

function* connectionFindings(
  { perProcess, running, max, free }: Awaited<ReturnType<typeof countConnections>>,
  isPooled: boolean,
): Generator<CheckFinding> {
  const total = running * perProcess;
  const besides = isPooled ? ', and those of the pooler' : '';
  const found = `each process may open ${perProcess} connections, the running ones ${total} of ${max}${besides}`;
  const fix = 'raise max_connections, lower DATABASE_POOL, or put a pooler before PostgreSQL (docs/production.md)';
  if (total > max) yield warning(found, fix);
  else yield ok(found);
  if (free < perProcess)
    yield warning(`${free} of ${max} connections are free, and a process may use ${perProcess}`, fix);
}

/** The pooler answers, and limits the time of statements, which clients of a pooler cannot. */
async function pooledFindings(url: string, { env }: DoctorContext): Promise<CheckFinding[]> {
  const options = { connectionString: url, application_name: 'portal-doctor', query_timeout: 5_000 };
  try {
    const { rows } = await withConnection(options, client =>
      client.query(`
        select name from pg_settings
        where name in ('statement_timeout', 'idle_in_transaction_session_timeout') and setting = '0' order by name`),
    );
    if (rows.length === 0) return [];
    const missing = rows.map(({ name }) => name).join(' and ');
    return [warning(`${missing} of the pooler's connections have no limit`, 'set connect_query (docs/production.md)')];
  } catch (error) {
    const { found, fix } = connectionProblem(error, { ...env, DATABASE_DIRECT_URL: '' });
    return [failure(`DATABASE_URL: ${found}`, fix)];
  }
}
