/** In development the guarded fetcher may reach the sandbox and nothing else that is not public. */
import { type AllowRule, parseAllowRule } from './allow-rules.ts';

export function sandboxRules(config: { NODE_ENV: string; SANDBOX_PORT: number }): AllowRule[] {
  if (config.NODE_ENV !== 'development') return [];
  return [`127.0.0.1:${config.SANDBOX_PORT}`, `localhost:${config.SANDBOX_PORT}`].flatMap(
    entry => parseAllowRule(entry) ?? [],
  );
}
