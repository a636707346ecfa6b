/** Which browser prints, and how far it may be trusted by the machine. */
import { z } from 'zod';
import { yesOrNo } from '../../../core/runtime/config.ts';

export const BrowserConfig = z.object({
  CHROMIUM_PATH: z
    .string()
    .optional()
    .describe(
      'A Chromium, Chrome or headless shell to print with; unset: Playwright’s own, else the system’s, else the one that comes with the service.',
    ),
  CHROMIUM_SANDBOX: yesOrNo
    .optional()
    .describe(
      'Whether the browser runs in its own sandbox; unset: yes, unless the service runs as root, where Chromium cannot.',
    ),
});

export type BrowserConfig = z.infer<typeof BrowserConfig>;
