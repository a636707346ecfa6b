/** The exceptions that the guarded fetch allows: addresses that are not public, and other ports. */
import { z } from 'zod';
import { type AllowRule, parseAllowRule } from './allow-rules.ts';

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
          message: `has an invalid entry ${index + 1}: write host:port, or a CIDR such as 10.0.0.0/8 or 10.0.0.0/8:8080`,
        });
        return [];
      });
    })
    .describe(
      'Exceptions to the guard on URLs from clients: host:port, CIDR (ports 80 and 443) or CIDR:port, comma-separated.',
    ),
});

export type EgressConfig = z.infer<typeof EgressConfig>;

/** Allows the sandbox in development. */
export function sandboxRules(config: { NODE_ENV: string; SANDBOX_HOST: string; SANDBOX_PORT: number }): AllowRule[] {
  if (config.NODE_ENV !== 'development') return [];
  const hosts = new Set([config.SANDBOX_HOST, '127.0.0.1', 'localhost']);
  return [...hosts].flatMap(host => parseAllowRule(`${host}:${config.SANDBOX_PORT}`) ?? []);
}
