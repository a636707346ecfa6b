/** Which places that are not public the guarded fetcher may reach. */
import { z } from 'zod';
import { parseAllowRule } from './allow-rules.ts';

export const EgressConfig = z.object({
  EGRESS_ALLOW: z
    .string()
    .default('')
    .transform((text, context) => {
      const entries = text.split(',').map(entry => entry.trim());
      return entries.flatMap((entry, index) => {
        if (entry === '') return [];
        const rule = parseAllowRule(entry);
        if (rule) return [rule];
        context.addIssue({
          code: 'custom',
          message: `has a wrong entry at place ${index + 1}: write host:port, or a CIDR such as 10.0.0.0/8 or 10.0.0.0/8:8080`,
        });
        return [];
      });
    })
    .describe(
      'Exceptions to the guard on addresses that came from outside: host:port, or a CIDR (ports 80 and 443) or CIDR:port, comma-separated.',
    ),
});

export type EgressConfig = z.infer<typeof EgressConfig>;
