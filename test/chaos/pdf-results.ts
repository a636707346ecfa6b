/** The results of the PDF jobs that succeeded: there, whole, and those that the jobs speak of. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { GoodClient } from './good-client.ts';
import type { JobRow } from './jobs-settled.ts';

const Printed = z.object({ bytes: z.int(), sha256: z.string() });

export async function badResults(
  rows: readonly JobRow[],
  client: GoodClient,
): Promise<{ bad: string[]; looked: number }> {
  const printed = rows.filter(({ kind, state }) => kind === 'pdf' && state === 'succeeded');
  const bad: string[] = [];
  for (const row of printed) {
    const answer = await client.ask({ method: 'GET', path: `/jobs/${row.id}/result` }, 10_000);
    const fault = answer === undefined ? 'no answer' : faultOf(answer.status, answer.body, row.result);
    if (fault !== undefined) bad.push(`${row.id}: ${fault}`);
  }
  return { bad, looked: printed.length };
}

/** The pages were counted when it was printed; here it is seen that these very bytes are what is answered. */
function faultOf(status: number, body: Buffer, result: unknown): string | undefined {
  if (status !== 200) return `answered with ${status}`;
  const { bytes, sha256 } = Printed.parse(result);
  if (body.length !== bytes) return `${body.length} bytes in place of ${bytes}`;
  if (createHash('sha256').update(body).digest('hex') !== sha256) return 'other bytes than were printed';
  if (!body.subarray(0, 5).equals(Buffer.from('%PDF-'))) return 'no PDF';
  return body.subarray(-32).includes('%%EOF') ? undefined : 'a PDF without an end';
}
