/** Whom nobody may terminate through the service. */
import { z } from 'zod';

export const TerminationConfig = z.object({
  TERMINATION_PROTECTED_EMAILS: z
    .string()
    .default('')
    .transform(text =>
      text
        .split(',')
        .map(pattern => pattern.trim().toLowerCase())
        .filter(Boolean),
    )
    .describe(
      'E-mails that are never terminated, comma-separated, with * for any text, such as svc-*@example.com.',
    ),
});
export type TerminationConfig = z.infer<typeof TerminationConfig>;

/** @param patterns in lower case, as the setting has them */
export function isProtected(email: string, patterns: readonly string[]): boolean {
  return patterns.some(pattern => {
    const parts = pattern.split('*').map(part => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`).test(email.trim().toLowerCase());
  });
}
