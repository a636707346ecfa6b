/** What must be set otherwise in production than it is for trying the service out. */

import { discoverSystems } from '../../integrations/kit/discover.ts';
import { isSet, readConfig } from '../../runtime/config.ts';
import { type Finding, failure, ok, warning } from '../../runtime/finding.ts';
import { SandboxConfig } from '../../runtime/sandbox-config.ts';
import { ServiceConfig } from '../../runtime/service-config.ts';
import { defineCheck } from '../check.ts';
import type { Environment } from '../context.ts';
import { settingOf } from '../setting.ts';

export default defineCheck({
  name: 'production',
  async look({ env, read }) {
    const { NODE_ENV } = read(ServiceConfig.pick({ NODE_ENV: true }));
    if (NODE_ENV !== 'production') return ok(`not in production (NODE_ENV is ${NODE_ENV})`);
    const findings = [
      ...address(env),
      ...opsLogin(env),
      ...bootstrapClient(env),
      ...(await sandboxUses(env, read(SandboxConfig).SANDBOX_PORT)),
      ...databasePassword(env),
    ];
    return findings.length > 0 ? findings : ok('ready for production');
  },
});

function address(env: Environment): Finding[] {
  const { PUBLIC_URL: url } = readConfig(ServiceConfig.pick({ PUBLIC_URL: true }), env);
  if (url === undefined)
    return [
      failure(
        'PUBLIC_URL is not set, so that links point to this machine',
        'set it to the https address of the service',
      ),
    ];
  if (!url.startsWith('https:'))
    return [
      failure(
        'PUBLIC_URL is not an https address, so that tokens travel in the clear',
        'put a proxy with TLS before the API and set PUBLIC_URL to its https address',
      ),
    ];
  if (!isSet('TRUST_PROXY', env))
    return [
      warning(
        'TRUST_PROXY is not set, so that every caller has the proxy’s address',
        'set it to the address of the proxy that ends TLS',
      ),
    ];
  return [];
}

const wellKnown =
  /^(admin|ops|portal|password|passw0rd|secret|changeme|change-me|test|postgres|root|1234.*)$/i;
const leastLength = 12;

function opsLogin(env: Environment): Finding[] {
  const [user, password] = [settingOf('OPS_USER', env), settingOf('OPS_PASSWORD', env)];
  if (user === undefined && password === undefined)
    return [
      warning(
        'there is no ops login, so that only tokens with the scope ops see /ops and the metrics',
        'set OPS_USER and OPS_PASSWORD',
      ),
    ];
  if (user === undefined || password === undefined)
    return [failure('OPS_USER and OPS_PASSWORD are not set together', 'set both, or neither')];
  if (password.length < leastLength || wellKnown.test(password) || password === user)
    return [failure('OPS_PASSWORD is guessed in no time', 'set a random one: openssl rand -base64 24')];
  return [];
}

function bootstrapClient(env: Environment): Finding[] {
  const [id, secret] = [settingOf('BOOTSTRAP_CLIENT_ID', env), settingOf('BOOTSTRAP_CLIENT_SECRET', env)];
  if ((id === undefined) !== (secret === undefined))
    return [
      failure('BOOTSTRAP_CLIENT_ID and BOOTSTRAP_CLIENT_SECRET are not set together', 'set both, or neither'),
    ];
  // Many different characters: what people think up repeats itself.
  if (secret !== undefined && (secret.length < 32 || new Set(secret).size < 12))
    return [failure('BOOTSTRAP_CLIENT_SECRET is no random secret', 'set one: openssl rand -base64 36')];
  return [];
}

/** The sandbox is never taken by itself in production; an address may still point to one. */
async function sandboxUses(env: Environment, port: number): Promise<Finding[]> {
  const isSandbox = (url: string) =>
    URL.canParse(url) &&
    ['127.0.0.1', 'localhost', '[::1]', 'sandbox'].includes(new URL(url).hostname) &&
    new URL(url).port === String(port);
  const pointing = (await discoverSystems())
    .map(({ configuredBy }) => configuredBy)
    .filter(variable => isSandbox(settingOf(variable, env) ?? ''));
  if (pointing.length === 0) return [];
  return [
    failure(
      `the sandbox stands in for real systems by ${pointing.join(', ')}`,
      'set the addresses of the real ones, or leave the variables out',
    ),
  ];
}

function databasePassword(env: Environment): Finding[] {
  const url = settingOf('DATABASE_URL', env);
  if (url === undefined || !URL.canParse(url)) return [];
  const { username, password } = new URL(url);
  if (password !== '' && !wellKnown.test(password) && password !== username) return [];
  return [
    warning('the password in DATABASE_URL is none, or a well-known one', 'give the role a random password'),
  ];
}
