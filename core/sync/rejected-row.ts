/** Decides whether a run continues after one of its rows failed. */
import { UpstreamError } from '../integrations/kit/upstream-error.ts';
import { asServiceError, type ServiceError } from '../runtime/errors.ts';
import type { ReportWriter } from './report.ts';

export interface RowContext {
  signal: AbortSignal;
  report: ReportWriter;
}

/**
 * Runs the work of one row. If the outside system rejects the row, it is reported as failed and the run continues.
 * Transient errors, internal errors and rejected credentials stop the run, because they affect all rows.
 * @param onRejected runs before the row is reported
 * @returns false if the row was rejected
 */
export async function unlessRejected(
  key: string,
  { signal, report }: RowContext,
  work: () => Promise<unknown>,
  onRejected: (error: ServiceError) => Promise<void> = async () => {},
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asServiceError(thrown);
    if (error.transient || error.code === 'internal-error' || isUnauthorized(error)) throw thrown;
    await onRejected(error);
    // Only the pointers of the faults: their details may quote personal data.
    const pointers = error.faults.map(({ pointer }) => pointer).filter(Boolean);
    report.countRow({ key, outcome: 'failed', reason: [error.message, ...pointers].join(' ') });
    return false;
  }
}

const isUnauthorized = (error: ServiceError): boolean => error instanceof UpstreamError && error.failure.status === 401;
