/** Memory that is left to this process: a worker that prints takes about 600 MB with its browser. */
import os from 'node:os';
import { ok, warning } from '../../runtime/finding.ts';
import { defineCheck } from '../check.ts';

const littleBytes = 700_000_000;

export default defineCheck({
  name: 'memory',
  async look() {
    // In a container both go by its limit.
    const available = process.availableMemory();
    const most = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, os.totalmem());
    const found = `${gigabytes(available)} of ${gigabytes(most)} available, ${os.availableParallelism()} processors`;
    return available < littleBytes
      ? warning(found, 'give the machine or container more: a worker that prints needs 0.7 GB')
      : ok(found);
  },
});

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
