/** Where the service stores its files and results. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { wholeNumber } from '../runtime/config.ts';

export const StorageConfig = z.object({
  DATA_DIR: z.string().default('.data').describe('Folder of the embedded database, stored results and caches.'),
  STORAGE_URL: z
    .string()
    .transform((text, context) => {
      if (text === 'file:') return undefined;
      const folder = folderOf(text);
      if (folder !== undefined) return folder;
      const message = text.startsWith('s3:')
        ? 'must be a file: URL: this version cannot store on S3; mount the bucket as a folder, or share one'
        : 'must be a file: URL, such as file:///var/lib/portal/results or file:results';
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .optional()
    .describe(
      'Storage of results: file: and a folder that all processes share; unset or file: alone: results in DATA_DIR.',
    ),
  RESULT_RETENTION_HOURS: wholeNumber(1, 87_600)
    .default(168)
    .describe('How long a result is stored after its job succeeded; later requests for it are answered with 410.'),
});

export type StorageConfig = z.infer<typeof StorageConfig>;

/** `file:///absolute`, `file:/absolute` and, beyond RFC 8089, `file:relative` to the working directory. */
function folderOf(text: string): string | undefined {
  const path = /^file:(?<path>.+)$/s.exec(text)?.groups?.path;
  if (path === undefined) return undefined;
  if (!path.startsWith('//')) return resolve(path);
  try {
    return fileURLToPath(text);
  } catch {
    // A host in a file URL (file://results) nearly always lacks a slash.
    return undefined;
  }
}
