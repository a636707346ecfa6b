/** Checks the files of succeeded PDF jobs: available, complete, and equal to the job's result. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { RetryingClient } from './retrying-client.ts';
import type { JobRow } from './settled-jobs.ts';

const Printed = z.object({ bytes: z.int(), sha256: z.string() });

export async function findInvalidResults(
  rows: readonly JobRow[],
  client: RetryingClient,
): Promise<{ invalid: string[]; checked: number }> {
  const printed = rows.filter(({ kind, state }) => kind === 'pdf' && state === 'succeeded');
  const invalid: string[] = [];
  for (const row of printed) {
    const response = await client.send({ method: 'GET', path: `/jobs/${row.id}/result` }, 10_000);
    const error = response === undefined ? 'no response' : errorOf(response.status, response.body, row.result);
    if (error !== undefined) invalid.push(`${row.id}: ${error}`);
  }
  return { invalid, checked: printed.length };
}

/** Does not count pages: the worker has checked their number. */
function errorOf(status: number, body: Buffer, result: unknown): string | undefined {
  if (status !== 200) return `status ${status}`;
  const { bytes, sha256 } = Printed.parse(result);
  if (body.length !== bytes) return `${body.length} bytes instead of ${bytes}`;
  if (createHash('sha256').update(body).digest('hex') !== sha256) return 'the SHA-256 differs';
  if (!body.subarray(0, 5).equals(Buffer.from('%PDF-'))) return 'not a PDF';
  return body.subarray(-32).includes('%%EOF') ? undefined : 'incomplete PDF';
}
