/** Where the service stores its files and results. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { httpUrl, trueOrFalse, wholeNumber } from '../runtime/config.ts';

/** A bucket of an S3-compatible store. */
export interface Bucket {
  bucket: string;
  /** Before each key; empty, or with a slash at its end. */
  prefix: string;
  region: string | undefined;
  /** Undefined: the one of AWS in the region. */
  endpoint: string | undefined;
  /** The bucket is in the path of the address instead of its host. */
  pathStyle: boolean;
}

export const StorageConfig = z.object({
  DATA_DIR: z.string().default('.data').describe('Folder of the embedded database, stored results and caches.'),
  STORAGE_URL: z
    .string()
    .transform((text, context) => {
      if (text === 'file:') return undefined;
      const location = text.startsWith('s3:') ? bucketOf(text) : folderOf(text);
      if (location !== undefined) return location;
      const message = text.startsWith('s3:')
        ? 'must be like s3://bucket/prefix?region=me-central-1&endpoint=https://s3.example.com&pathStyle=true (all but the bucket are optional)'
        : 'must be a file: URL, such as file:///var/lib/portal/results or file:results, or an s3: URL';
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .optional()
    .describe(
      'Storage of results: file: and a folder that all processes share, or s3://bucket/prefix?region=…&endpoint=…&pathStyle=true; unset or file: alone: results in DATA_DIR.',
    ),
  RESULT_REDIRECT: trueOrFalse
    .default(false)
    .describe(
      'With an s3: STORAGE_URL: result links redirect to the bucket, with an address that is valid for five minutes. Unset: the API sends the file.',
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

const BucketOptions = z.strictObject({
  region: z.string().optional(),
  endpoint: httpUrl.optional(),
  pathStyle: trueOrFalse.default(false),
});

/** Credentials are found as the AWS SDK does: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, profile, or role of the machine. */
function bucketOf(text: string): Bucket | undefined {
  const [, bucket, path = '', query = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(\/[\w./-]*)?(?:\?(.*))?$/.exec(text) ?? [];
  const options = BucketOptions.safeParse(Object.fromEntries(new URLSearchParams(query)));
  if (bucket === undefined || !options.success) return undefined;
  const { region, endpoint, pathStyle } = options.data;
  const prefix = path
    .split('/')
    .filter(Boolean)
    .map(part => `${part}/`)
    .join('');
  return { bucket, prefix, region, endpoint, pathStyle };
}
