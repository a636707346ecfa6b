/** An error as the log shows it: with its causes and stack, without what a query was given or a row held. */
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { stdSerializers } from 'pino';
import { ServiceError } from '../runtime/errors.ts';

/** PostgreSQL quotes a row's values there, and drizzle a query's parameters; both may be a person's. */
const withheld = ['params', 'detail', 'where', 'internalQuery', 'failure'];

/** For pino's `serializers.err`. */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const shown: Record<string, unknown> = { ...stdSerializers.err(error) };
  for (const name of withheld) delete shown[name];
  if (error instanceof ServiceError) Object.assign(shown, error.logFields);
  for (const cause of causesOf(error)) {
    if (!(cause instanceof DrizzleQueryError)) continue;
    for (const name of ['message', 'stack']) {
      shown[name] = String(shown[name]).replaceAll(cause.message, () => `Failed query: ${cause.query}`);
    }
  }
  return shown;
}

function* causesOf(error: Error): Generator<Error> {
  const seen = new Set<unknown>();
  for (let cause: unknown = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    seen.add(cause);
    yield cause;
  }
}
