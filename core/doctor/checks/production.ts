/** Settings that are fine for a trial and unsafe in production. */
import { discoverSystems } from '../../integrations/kit/define-system.ts';
import { isSet, readConfig } from '../../runtime/config.ts';
import { type CheckFinding, failure, ok, warning } from '../../runtime/finding.ts';
import { SandboxConfig, ServiceConfig } from '../../runtime/service-config.ts';
import { defineCheck } from '../check.ts';
import { type Environment, settingOf } from '../context.ts';

export default defineCheck({
  name: 'production',
  async run({ env, read }) {
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

function address(env: Environment): CheckFinding[] {
  const { PUBLIC_URL: url } = readConfig(ServiceConfig.pick({ PUBLIC_URL: true }), env);
  if (url === undefined)
    return [
      failure(
        'PUBLIC_URL is not set: links point to this machine',
        'set it to the https address of the service',
      ),
    ];
  if (!url.startsWith('https:'))
    return [
      failure(
        'PUBLIC_URL is not an https address: tokens are sent unencrypted',
        'put a proxy with TLS in front of the API and set PUBLIC_URL to its https address',
      ),
    ];
  if (!isSet('TRUST_PROXY', env))
    return [
      warning(
        'TRUST_PROXY is not set: all callers seem to have the address of the proxy',
        'set it to the address of the proxy that terminates TLS',
      ),
    ];
  return [];
}

const commonPassword =
  /^(admin|ops|portal|password|passw0rd|secret|changeme|change-me|test|postgres|root|1234.*)$/i;
const minPasswordLength = 12;

function opsLogin(env: Environment): CheckFinding[] {
  const [user, password] = [settingOf('OPS_USER', env), settingOf('OPS_PASSWORD', env)];
  if (user === undefined && password === undefined)
    return [
      warning(
        'no ops login is set: only tokens with the scope ops can open /ops and the metrics',
        'set OPS_USER and OPS_PASSWORD',
      ),
    ];
  if (user === undefined || password === undefined)
    return [failure('only one of OPS_USER and OPS_PASSWORD is set', 'set both, or neither')];
  if (password.length < minPasswordLength || commonPassword.test(password) || password === user)
    return [failure('OPS_PASSWORD is easy to guess', 'set a random one: openssl rand -base64 24')];
  return [];
}

function bootstrapClient(env: Environment): CheckFinding[] {
  const [id, secret] = [settingOf('BOOTSTRAP_CLIENT_ID', env), settingOf('BOOTSTRAP_CLIENT_SECRET', env)];
  if ((id === undefined) !== (secret === undefined))
    return [
      failure('only one of BOOTSTRAP_CLIENT_ID and BOOTSTRAP_CLIENT_SECRET is set', 'set both, or neither'),
    ];
  // Invented secrets repeat characters; random ones have many different ones.
  if (secret !== undefined && (secret.length < 32 || new Set(secret).size < 12))
    return [failure('BOOTSTRAP_CLIENT_SECRET is not random', 'set a random one: openssl rand -base64 36')];
  return [];
}

/** The service does not use the sandbox in production by itself, but a configured address may be that of a sandbox. */
async function sandboxUses(env: Environment, port: number): Promise<CheckFinding[]> {
  const isSandbox = (url: string) =>
    URL.canParse(url) &&
    ['127.0.0.1', 'localhost', '[::1]', 'sandbox'].includes(new URL(url).hostname) &&
    new URL(url).port === String(port);
  const variables = (await discoverSystems())
    .map(({ configuredBy }) => configuredBy)
    .filter(variable => isSandbox(settingOf(variable, env) ?? ''));
  if (variables.length === 0) return [];
  return [
    failure(
      `${variables.join(', ')}: the address is that of a sandbox`,
      'set the addresses of the real systems, or unset the variables',
    ),
  ];
}

function databasePassword(env: Environment): CheckFinding[] {
  const url = settingOf('DATABASE_URL', env);
  if (url === undefined || !URL.canParse(url)) return [];
  const { username, password } = new URL(url);
  if (password !== '' && !commonPassword.test(password) && password !== username) return [];
  return [
    warning('the password in DATABASE_URL is missing or easy to guess', 'give the role a random password'),
  ];
}
