/** How the identity directory is reached. */
import { z } from 'zod';
import { httpAddress } from '../../runtime/config.ts';

export const DirectoryConfig = z.object({
  DIRECTORY_URL: httpAddress
    .optional()
    .describe(
      'The identity directory’s API (JumpCloud), such as https://console.jumpcloud.com/api; unset: not configured.',
    ),
  DIRECTORY_API_KEY: z.string().default('').describe('Key of an administrator of the identity directory.'),
  DIRECTORY_ORGANIZATION_ID: z
    .string()
    .optional()
    .describe('Organisation that is meant, for a key that belongs to several.'),
});

export type DirectoryConfig = z.infer<typeof DirectoryConfig>;
