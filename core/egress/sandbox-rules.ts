/** In development the guarded fetcher may reach the sandbox and nothing else that is not public. */
import { type AllowRule, parseAllowRule } from './allow-rules.ts';

export function sandboxRules(config: {
  NODE_ENV: string;
  SANDBOX_HOST: string;
  SANDBOX_PORT: number;
}): AllowRule[] {
  if (config.NODE_ENV !== 'development') return [];
  const hosts = new Set([config.SANDBOX_HOST, '127.0.0.1', 'localhost']);
  return [...hosts].flatMap(host => parseAllowRule(`${host}:${config.SANDBOX_PORT}`) ?? []);
}
