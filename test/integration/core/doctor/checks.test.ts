/** What the doctor says of real parts in and out of order: what is wrong, and exactly how to mend it. */
import { Redis } from 'ioredis';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Check, coreChecks } from '../../../../core/doctor/check.ts';
import { openContext } from '../../../../core/doctor/context.ts';
import { runChecks } from '../../../../core/doctor/run-checks.ts';
import { startLoopbackServer } from '../../../support/loopback-server.ts';
import { type Sandbox, startSandbox } from '../../../support/sandbox.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import { startRedis } from '../../../support/test-redis.ts';

const folder = temporaryFolder();
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let sandbox: Sandbox;
let checks: Check[];
beforeAll(async () => {
  [database, sandbox, checks] = await Promise.all([
    createTestDatabase('doctor'),
    startSandbox(),
    coreChecks(),
  ]);
});
afterAll(async () => {
  await sandbox?.close();
  await database?.drop();
});

/** What one check finds: `level found: mend`. */
async function find(name: string, env: Record<string, string> = {}): Promise<string[]> {
  const context = openContext({
    NODE_ENV: 'production',
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    ...env,
  });
  const meant = checks.filter(check => check.name === name);
  const checked = await Promise.all(runChecks(meant, context));
  await context.close();
  return checked.flatMap(({ findings }) =>
    findings.map(({ level, found, mend }) => `${level} ${found}${mend === undefined ? '' : `: ${mend}`}`),
  );
}

describe('the configuration', () => {
  it('is told all faults of, and what was probably mistyped', async () => {
    expect(
      await find('configuration', { PORT: 'x', DATABASE_POOL: '0', CRM_ULR: 'http://crm.example' }),
    ).toEqual([
      'failure DATABASE_POOL must be a whole number from 1 to 500: correct it',
      'failure PORT must be a whole number from 0 to 65535: correct it',
      "warning CRM_ULR is none of the service's variables: write CRM_URL, if that is meant",
    ]);
    expect(await find('configuration', { PATH: '/bin', HOME: '/root', CRM_URL_FILE: '' })).toEqual([
      expect.stringMatching(/^ok production, \d+ of \d+ variables set$/),
    ]);
  });

  it('says what must be otherwise in production, without a secret', async () => {
    const found = await find('production', {
      PUBLIC_URL: 'http://portal.example',
      OPS_USER: 'ops',
      OPS_PASSWORD: 'changeme',
      BOOTSTRAP_CLIENT_ID: 'portal',
      BOOTSTRAP_CLIENT_SECRET: 'secret-secret-secret-secret-secret',
      CRM_URL: 'http://127.0.0.1:9100/crm/rest/1/sandbox',
      DATABASE_URL: 'postgres://portal:portal@db/portal',
    });
    expect(found.map(line => line.split(':')[0])).toEqual([
      'failure PUBLIC_URL is not an https address, so that tokens travel in the clear',
      'failure OPS_PASSWORD is guessed in no time',
      'failure BOOTSTRAP_CLIENT_SECRET is no random secret',
      'failure the sandbox stands in for real systems by CRM_URL',
      'warning the password in DATABASE_URL is none, or a well-known one',
    ]);
    expect(found.join()).not.toMatch(/changeme|secret-secret/);
    const mended = {
      PUBLIC_URL: 'https://portal.example',
      TRUST_PROXY: '10.0.0.1',
      OPS_USER: 'ops',
      OPS_PASSWORD: 'T8hX2rPq9vL4mZ7c',
      DATABASE_URL: 'postgres://portal:T8hX2rPq9vL4mZ7c@db/portal',
    };
    expect(await find('production', mended)).toEqual(['ok ready for production']);
  });
});

describe('PostgreSQL', () => {
  it('is told with version, place and what is left to do', async () => {
    expect(await find('database')).toEqual([
      expect.stringMatching(/^ok PostgreSQL \d+\.\d+, \S+ at 127\.0\.0\.1:\d+, [\d.]+ \wB, \d+ ms$/),
      // The tests' own server is faster without.
      expect.stringContaining('(fsync off)'),
    ]);
    const empty = new URL(database.url);
    empty.pathname = '/postgres';
    expect((await find('database', { DATABASE_URL: empty.href })).join()).toMatch(
      /warning \d+ migrations are not applied yet: the next process/,
    );
  });

  it.each([
    [
      'a wrong password',
      { password: 'wrong' },
      'PostgreSQL refuses the login: correct user and password in DATABASE_URL',
    ],
    [
      'no such database',
      { pathname: '/nowhere' },
      'the database is not there: create it, or correct its name in DATABASE_URL',
    ],
    [
      'nobody there',
      { port: '1' },
      'PostgreSQL cannot be reached (ECONNREFUSED): start it, or correct DATABASE_URL',
    ],
  ])('%s is told as such', async (_, change, said) => {
    const env = { DATABASE_URL: Object.assign(new URL(database.url), change).href };
    expect(await find('database', env)).toEqual([`failure ${said}`]);
    expect(await find('clock', env)).toEqual([
      'warning not checked: the database does not answer: mend that first',
    ]);
  });

  it('keeps the same time as we do', async () => {
    expect(await find('clock')).toEqual([expect.stringMatching(/^ok \d+ ms from the database’s$/)]);
  });
});

describe.skipIf(inject('redisUrl') === undefined)('Redis', () => {
  it('is told when it evicts, forgets, or refuses us', async () => {
    const redis = await startRedis();
    const client = new Redis(redis.url);
    const env = { REDIS_URL: redis.url };
    try {
      expect(await find('redis', env)).toEqual([
        expect.stringMatching(/^ok Redis \d+\.\d+\.\d+ at 127\.0\.0\.1:\d+, [\d.]+\w, \d+ ms$/),
      ]);
      expect(await find('queues', env)).toEqual([
        expect.stringMatching(/^ok \d+ queues in Redis, 0 jobs waiting/),
      ]);
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru', 'appendonly', 'no');
      expect((await find('redis', env)).slice(1)).toEqual([
        'failure Redis evicts keys (maxmemory-policy allkeys-lru): set maxmemory-policy noeviction',
        'warning Redis is not append-only, so that jobs of its last minutes wait to be found again after a restart: set appendonly yes',
      ]);
      expect(await find('queues', env)).toEqual(['warning not checked: Redis evicts keys: mend that first']);
      await client.config('SET', 'requirepass', 'T8hX2rPq9vL4');
      expect(await find('redis', env)).toEqual([
        'failure Redis refuses the login: correct user and password in REDIS_URL',
      ]);
    } finally {
      client.disconnect();
      await redis.stop();
    }
    expect(await find('redis', env)).toEqual([
      'failure Redis cannot be reached (ECONNREFUSED): start it, or correct REDIS_URL',
    ]);
    expect(await find('redis')).toEqual(['ok not set: the queues are in PostgreSQL']);
  });
});

describe('an outside system', () => {
  const credentials = {
    ACTIVITY_LOG_API_KEY: 'sandbox',
    DIRECTORY_API_KEY: 'sandbox',
    DNC_API_KEY: 'sandbox',
    EMPLOYEE_RECORDS_API_KEY: 'sandbox',
    EMPLOYEE_RECORDS_API_SECRET: 'sandbox',
    EVENTS_TOKEN: 'sandbox',
    LISTING_PORTAL_API_KEY: 'sandbox'.padEnd(40, '0'),
    LISTING_PORTAL_API_SECRET: 'sandbox'.padEnd(32, '0'),
    PROPERTY_PROJECTS_API_KEY: 'sandbox',
    SMS_USERNAME: 'sandbox',
    SMS_PASSWORD: 'sandbox',
  };
  const systems = [
    ['activity-log', 'ACTIVITY_LOG_URL', '/activity-log', 'The log store'],
    ['crm', 'CRM_URL', '/crm/rest/1/sandbox', 'The CRM'],
    ['directory', 'DIRECTORY_URL', '/directory', 'The identity directory'],
    ['dnc-registry', 'DNC_URL', '/telephony', 'The do-not-call registry'],
    ['employee-records', 'EMPLOYEE_RECORDS_URL', '/employee-records', 'The employee records system'],
    ['events', 'EVENTS_URL', '/events/v3', 'The events platform'],
    ['listing-portal', 'LISTING_PORTAL_URL', '/listing-portal', 'The listing portal'],
    ['property-projects', 'PROPERTY_PROJECTS_URL', '/property-projects', 'The property-project system'],
    ['sms-gateway', 'SMS_URL', '/telephony', 'The SMS gateway'],
  ] as const;

  it.each(systems)(
    '%s: wrong credentials are told apart from one that is down or is not set',
    async (name, variable, path, title) => {
      const url = sandbox.url + path;
      expect(await find(name, { ...credentials, [variable]: url })).toEqual([
        expect.stringMatching(new RegExp(`^ok ${title} answers, \\d+ ms$`)),
      ]);
      const wrong = Object.fromEntries(
        Object.entries(credentials).map(([key, right]) => [key, right.replace('sandbox', 'mistake')]),
      );
      const [refused] = await find(name, { ...wrong, [variable]: url.replace('/1/sandbox', '/1/wrong') });
      expect(refused).toMatch(new RegExp(`^failure ${title} refuses our credentials: correct [A-Z_, ]+$`));
      expect(await find(name, { ...credentials, [variable]: 'http://127.0.0.1:1/x' })).toEqual([
        `failure ${title} does not answer as it should (ECONNREFUSED): look whether it is up, and whether ${variable} leads to it`,
      ]);
      expect(await find(name)).toEqual([`ok ${variable} is not set: what needs it is answered with 503`]);
    },
  );

  it('whose clock is off is told of, and one that hangs is not waited for', async () => {
    const late = await startLoopbackServer((_, response) => {
      const date = new Date(Date.now() - 3_600_000).toUTCString();
      response.writeHead(200, { date, 'content-type': 'application/json' }).end('{"message":3}');
    });
    expect((await find('employee-records', { EMPLOYEE_RECORDS_URL: late.origin }))[1]).toMatch(
      /^warning its clock is 3[56]\d\d s behind ours: let this machine take its time from NTP/,
    );
    await late.close();

    const silent = await startLoopbackServer(() => {});
    const crm = checks.find(check => check.name === 'crm');
    if (!crm) throw new Error('no check of the CRM');
    const context = openContext({
      NODE_ENV: 'production',
      DATABASE_URL: database.url,
      CRM_URL: silent.origin,
    });
    const [checked] = await Promise.all(runChecks([{ ...crm, timeoutMs: 300 }], context));
    expect(checked?.findings).toMatchObject([{ level: 'failure', found: 'no answer within 0.3 s' }]);
    await silent.close();
  });
});

it('that nobody is told of alerts is told in production, and whether the mail server takes our login', async () => {
  expect(await find('alerts')).toEqual([expect.stringMatching(/^warning nobody is told of alerts: set /)]);
  const mails = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    hideSTARTTLS: true,
    onAuth: ({ password }, _, done) =>
      password === 'right' ? done(null, { user: 'portal' }) : done(new Error('no')),
  });
  await new Promise<void>(listening => mails.listen(0, '127.0.0.1', listening));
  const address = mails.server.address();
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const env = { MAIL_FROM: 'portal@firm.example', ALERT_MAIL_TO: 'ops@firm.example' };
  expect(await find('alerts', { ...env, SMTP_URL: `smtp://portal:right@${host}` })).toEqual([
    'ok alerts are mailed (receivers: 1)',
    `ok the mail server at ${host} takes our login`,
  ]);
  expect((await find('alerts', { ...env, SMTP_URL: `smtp://portal:wrong@${host}` }))[1]).toBe(
    `failure the mail server at ${host} refuses our login: correct user and password in SMTP_URL`,
  );
  await new Promise<void>(closed => mails.close(closed));
  expect((await find('alerts', { ...env, SMTP_URL: `smtp://${host}` }))[1]).toBe(
    `failure the mail server at ${host} cannot be used (ESOCKET): correct SMTP_URL, or start it`,
  );
});

it('the store is written to, and told when it cannot be', async () => {
  expect(await find('storage')).toEqual([expect.stringMatching(/: written, read and deleted in \d+ ms$/)]);
  expect(await find('storage', { STORAGE_URL: 'file:///dev/null/results' })).toEqual([
    'failure /dev/null/results cannot be used (ENOTDIR): let the service’s user write into the folder of STORAGE_URL',
  ]);
  expect((await find('disk')).length).toBeGreaterThan(0);
  expect(await find('memory')).toHaveLength(1);
  expect(await find('node')).toEqual([expect.stringMatching(/^ok Node\.js/)]);
});
