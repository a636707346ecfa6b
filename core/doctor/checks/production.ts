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
      ...sandboxUses(await discoverSystems(), env, read(SandboxConfig).SANDBOX_PORT),
      ...databasePassword(env),
    ];
    return findings.length > 0 ? findings : ok('ready for production');
  },
});

function* address(env: Environment): Generator<CheckFinding> {
  const { PUBLIC_URL: url } = readConfig(ServiceConfig.pick({ PUBLIC_URL: true }), env);
  if (url === undefined)
    yield failure('PUBLIC_URL is not set: links point to this machine', 'set it to the https address of the service');
  else if (!url.startsWith('https:'))
    yield failure(
      'PUBLIC_URL is not an https address: tokens are sent unencrypted',
      'put a proxy with TLS in front of the API and set PUBLIC_URL to its https address',
    );
  else if (!isSet('TRUST_PROXY', env))
    yield warning(
      'TRUST_PROXY is not set: all callers seem to have the address of the proxy',
      'set it to the address of the proxy that terminates TLS',
    );
}

const commonPassword = /^(admin|ops|portal|password|passw0rd|secret|changeme|change-me|test|postgres|root|1234.*)$/i;
const minPasswordLength = 12;

function* opsLogin(env: Environment): Generator<CheckFinding> {
  const [user, password] = [settingOf('OPS_USER', env), settingOf('OPS_PASSWORD', env)];
  if (user === undefined && password === undefined) {
    if (isSet('OIDC_ISSUER', env)) return;
    yield warning(
      'no ops login is set: only tokens with the scope ops can open /ops and the metrics',
      'set OIDC_ISSUER with its client, or OPS_USER and OPS_PASSWORD',
    );
  } else if (user === undefined || password === undefined)
    yield failure('only one of OPS_USER and OPS_PASSWORD is set', 'set both, or neither');
  else if (password.length < minPasswordLength || commonPassword.test(password) || password === user)
    yield failure('OPS_PASSWORD is easy to guess', 'set a random one: openssl rand -hex 24');
}

function* bootstrapClient(env: Environment): Generator<CheckFinding> {
  const [id, secret] = [settingOf('BOOTSTRAP_CLIENT_ID', env), settingOf('BOOTSTRAP_CLIENT_SECRET', env)];
  if ((id === undefined) !== (secret === undefined))
    yield failure('only one of BOOTSTRAP_CLIENT_ID and BOOTSTRAP_CLIENT_SECRET is set', 'set both, or neither');
  // Invented secrets repeat characters; random ones have many different ones.
  else if (secret !== undefined && (secret.length < 32 || new Set(secret).size < 12))
    yield failure('BOOTSTRAP_CLIENT_SECRET is not random', 'set a random one: openssl rand -hex 32');
}

/** The service does not use the sandbox in production by itself, but a configured address may be that of a sandbox. */
function* sandboxUses(
  systems: Awaited<ReturnType<typeof discoverSystems>>,
  env: Environment,
  port: number,
): Generator<CheckFinding> {
  const isSandbox = (url: string) =>
    URL.canParse(url) &&
    ['127.0.0.1', 'localhost', '[::1]', 'sandbox'].includes(new URL(url).hostname) &&
    new URL(url).port === String(port);
  for (const { configuredBy } of systems)
    if (isSandbox(settingOf(configuredBy, env) ?? ''))
      yield failure(
        `${configuredBy} is the address of a sandbox`,
        'set the address of the real system, or unset the variable',
      );
}

function* databasePassword(env: Environment): Generator<CheckFinding> {
  const url = settingOf('DATABASE_URL', env);
  if (url === undefined || !URL.canParse(url)) return;
  const { username, password } = new URL(url);
  if (password === '' || commonPassword.test(password) || password === username)
    yield warning('the password in DATABASE_URL is missing or easy to guess', 'give the role a random password');
}
