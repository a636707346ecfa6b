/** The checks of the doctor against real parts that work and that fail: finding and fix. */
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { type Check, coreChecks, runChecks } from '../../../../core/doctor/check.ts';
import { openContext } from '../../../../core/doctor/context.ts';
import { withConnection } from '../../../../core/postgres/connection.ts';
import { connectionName } from '../../../../core/postgres/connections.ts';
import { crmSettings } from '../../../support/crm-webhook.ts';
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
  [database, sandbox, checks] = await Promise.all([createTestDatabase('doctor'), startSandbox(), coreChecks()]);
});
afterAll(async () => {
  await sandbox?.close();
  await database?.drop();
});

/** The findings of one check: `level found: fix`. */
async function find(name: string, env: Record<string, string> = {}): Promise<string[]> {
  const context = openContext({ NODE_ENV: 'production', DATA_DIR: folder, DATABASE_URL: database.url, ...env });
  const selected = checks.filter(check => check.name === name);
  const checked = await Promise.all(runChecks(selected, context));
  await context.close();
  return checked.flatMap(({ findings }) =>
    findings.map(({ level, found, fix }) => `${level} ${found}${fix === undefined ? '' : `: ${fix}`}`),
  );
}

describe('the configuration', () => {
  it('reports every invalid value and probable typing errors', async () => {
    expect(await find('configuration', { PORT: 'x', DATABASE_POOL: '0', CRM_ULR: 'http://crm.example' })).toEqual([
      'failure PORT must be a whole number from 0 to 65535: correct it',
      'failure DATABASE_POOL must be a whole number from 1 to 500: correct it',
      'warning CRM_ULR is not a variable of the service: did you mean CRM_URL?',
    ]);
    expect(await find('configuration', { PATH: '/bin', HOME: '/root', CRM_URL_FILE: '' })).toEqual([
      expect.stringMatching(/^ok production, \d+ of \d+ variables set$/),
    ]);
  });

  it('reports settings that are unsafe in production, without their secrets', async () => {
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
      'failure PUBLIC_URL is not an https address',
      'failure OPS_PASSWORD is easy to guess',
      'failure BOOTSTRAP_CLIENT_SECRET is not random',
      'failure CRM_URL is the address of a sandbox',
      'warning the password in DATABASE_URL is missing or easy to guess',
    ]);
    expect(found.join()).not.toMatch(/changeme|secret-secret/);
    // Base64 contains `+`, which Basic credentials of OAuth clients decode as a space.
    expect(found.filter(line => line.includes('openssl rand'))).toEqual([
      expect.stringContaining('openssl rand -hex 24'),
      expect.stringContaining('openssl rand -hex 32'),
    ]);
    const corrected = {
      PUBLIC_URL: 'https://portal.example',
      TRUST_PROXY: '10.0.0.1',
      OPS_USER: 'ops',
      OPS_PASSWORD: 'T8hX2rPq9vL4mZ7c',
      DATABASE_URL: 'postgres://portal:T8hX2rPq9vL4mZ7c@db/portal',
    };
    expect(await find('production', corrected)).toEqual(['ok ready for production']);
  });
});

describe('PostgreSQL', () => {
  it('reports version, address and pending migrations', async () => {
    expect(await find('database')).toEqual([
      expect.stringMatching(/^ok PostgreSQL \d+\.\d+, \S+ at 127\.0\.0\.1:\d+, [\d.]+ \wB, \d+ ms$/),
      // The test server runs without fsync because that is faster.
      expect.stringContaining('fsync is off'),
    ]);
    const empty = new URL(database.url);
    empty.pathname = '/postgres';
    expect((await find('database', { DATABASE_URL: empty.href })).join()).toMatch(
      /warning \d+ migrations are not applied yet: start a process of this version/,
    );
  });

  it.each([
    [
      'a wrong password',
      { password: 'wrong' },
      'PostgreSQL rejects the login: correct user and password in DATABASE_URL',
    ],
    [
      'an unknown database',
      { pathname: '/nowhere' },
      'the database does not exist: create it, or correct its name in DATABASE_URL',
    ],
    ['a closed port', { port: '1' }, 'cannot connect to PostgreSQL (ECONNREFUSED): start it, or correct DATABASE_URL'],
  ])('reports %s', async (_, change, said) => {
    const env = { DATABASE_URL: Object.assign(new URL(database.url), change).href };
    expect(await find('database', env)).toEqual([`failure ${said}`]);
    expect(await find('clock', env)).toEqual(['warning not checked: the database does not answer: fix that first']);
  });

  it('compares the connections that the running processes may open with those that it allows', async () => {
    const REDIS_URL = 'redis://127.0.0.1:1';
    const processes = ['api', 'worker'].map(
      name => new pg.Client({ connectionString: database.url, application_name: connectionName(name) }),
    );
    for (const client of processes) await client.connect();
    onTestFinished(async () => {
      for (const client of processes) await client.end();
    });
    expect(await find('connections', { REDIS_URL })).toEqual([
      expect.stringMatching(/^ok each process may open 15 connections, the running ones 30 of \d+$/),
    ]);
    expect(await find('connections', { REDIS_URL, DATABASE_POOL: '195' })).toEqual([
      expect.stringMatching(
        /^warning each process may open 200 connections, the running ones 400 of \d+: raise max_connections, lower DATABASE_POOL, or/,
      ),
      expect.stringMatching(
        /^warning \d+ of \d+ connections are free, and a process may use 200: raise max_connections/,
      ),
    ]);
  });

  it('has the same time as this machine', async () =>
    expect(await find('clock')).toEqual([expect.stringMatching(/^ok \d+ ms from the database’s$/)]));
});

describe.skipIf(inject('redisUrl') === undefined)('Redis', () => {
  it('reports eviction, missing persistence and a rejected login', async () => {
    const redis = await startRedis();
    const client = new Redis(redis.url);
    const env = { REDIS_URL: redis.url };
    try {
      expect(await find('redis', env)).toEqual([
        expect.stringMatching(/^ok Redis \d+\.\d+\.\d+ at 127\.0\.0\.1:\d+, [\d.]+\w, \d+ ms$/),
      ]);
      expect(await find('queues', env)).toEqual([expect.stringMatching(/^ok \d+ queues in Redis, 0 jobs waiting/)]);
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru', 'appendonly', 'no');
      expect((await find('redis', env)).slice(1)).toEqual([
        'failure Redis evicts keys (maxmemory-policy allkeys-lru): set maxmemory-policy noeviction',
        'warning Redis has no append-only file: a restart loses messages of the last minutes, and their jobs are delayed: set appendonly yes',
      ]);
      expect(await find('queues', env)).toEqual(['warning not checked: Redis evicts keys: fix that first']);
      await client.config('SET', 'requirepass', 'T8hX2rPq9vL4');
      expect(await find('redis', env)).toEqual([
        'failure Redis rejects the login: correct user and password in REDIS_URL',
      ]);
    } finally {
      client.disconnect();
      await redis.stop();
    }
    expect(await find('redis', env)).toEqual([
      'failure cannot connect to Redis (ECONNREFUSED): start it, or correct REDIS_URL',
    ]);
    expect(await find('redis')).toEqual(['ok not set: the queues are in PostgreSQL']);
  });
});

describe('an outside system', () => {
  const credentials = {
    ...crmSettings,
    ACTIVITY_LOG_API_KEY: 'sandbox',
    DIRECTORY_API_KEY: 'sandbox',
    DNC_API_KEY: 'sandbox',
    EMPLOYEE_RECORDS_API_KEY: 'sandbox',
    EMPLOYEE_RECORDS_API_SECRET: 'sandbox',
    EMPLOYEE_RECORDS_COMPANY: 'Meridian Palm',
    EMPLOYEE_RECORDS_COMPANY_ABBREVIATION: 'MP',
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
    'reports whether %s answers, rejects our credentials, is down or is not set',
    async (name, variable, path, title) => {
      const url = sandbox.url + path;
      expect(await find(name, { ...credentials, [variable]: url })).toEqual([
        expect.stringMatching(new RegExp(`^ok ${title} answers, \\d+ ms$`)),
      ]);
      const wrong = Object.fromEntries(
        Object.entries(credentials).map(([key, right]) => [key, right.replace('sandbox', 'mistake')]),
      );
      const [rejected] = await find(name, { ...wrong, [variable]: url.replace('/1/sandbox', '/1/wrong') });
      expect(rejected).toMatch(new RegExp(`^failure ${title} rejects our credentials: correct [A-Z_, ]+$`));
      expect(await find(name, { ...credentials, [variable]: 'http://127.0.0.1:1/x' })).toEqual([
        `failure ${title} does not answer correctly (ECONNREFUSED): check that it is running and that ${variable} is its address`,
      ]);
      expect(await find(name)).toEqual([`ok ${variable} is not set: operations that need it return 503`]);
    },
  );

  it('tells an answer with an error from none', async () => {
    const broken = await startLoopbackServer((_, response) => response.writeHead(500).end());
    onTestFinished(() => broken.close());
    expect(await find('events', { ...credentials, EVENTS_URL: broken.origin })).toEqual([
      'failure The events platform answers with an error (HTTP 500): check that it is running and that EVENTS_URL is its address',
    ]);
  });

  it.each([
    [
      'activity-log',
      { ACTIVITY_LOG_EMAIL_FIELD: 'user.email', ACTIVITY_LOG_LISTING_FIELD: 'listing.id' },
      [
        'ACTIVITY_LOG_LISTING_FIELD: the index has no field listing.id',
        'ACTIVITY_LOG_EMAIL_FIELD: the field user.email has the unsuitable type text',
      ],
    ],
    [
      'employee-records',
      { EMPLOYEE_RECORDS_COMPANY_ABBREVIATION: 'MPR', EMPLOYEE_RECORDS_CRM_ID_FIELD: 'custom_bitrix_id' },
      [
        'EMPLOYEE_RECORDS_COMPANY_ABBREVIATION is not that of Meridian Palm: departments do not match',
        'EMPLOYEE_RECORDS_CRM_ID_FIELD: employees have no field custom_bitrix_id',
      ],
    ],
    [
      'employee-records',
      { EMPLOYEE_RECORDS_COMPANY: 'Meridian', EMPLOYEE_RECORDS_DIRECTORY_ID_FIELD: 'custom_directory_id' },
      ['EMPLOYEE_RECORDS_COMPANY: there is no company Meridian'],
    ],
    ['events', { EVENTS_ORGANIZATION_ID: '1' }, ['the token belongs to the organisations 5550001']],
  ])('compares the settings of %s with what the system has: %j', async (name, settings, expected) => {
    const [, variable, path] = systems.find(([system]) => system === name) ?? [];
    const found = await find(name, { ...credentials, [`${variable}`]: sandbox.url + path, ...settings });
    expect(found.slice(1).map(line => line.replace(/^failure (.+?): (set|correct) .*$/, '$1'))).toEqual(expected);
  });

  it('reports a clock difference, and a timeout of a system that hangs', async () => {
    const late = await startLoopbackServer((_, response) => {
      const date = new Date(Date.now() - 3_600_000).toUTCString();
      response.writeHead(200, { date, 'content-type': 'application/json' }).end('{"message":3}');
    });
    expect((await find('employee-records', { EMPLOYEE_RECORDS_URL: late.origin }))[1]).toMatch(
      /^warning its clock is 3[56]\d\d s behind ours: synchronise this machine with NTP/,
    );
    await late.close();

    const silent = await startLoopbackServer(() => {});
    const crm = checks.find(check => check.name === 'crm');
    if (!crm) throw new Error('no check of the CRM');
    const context = openContext({ NODE_ENV: 'production', DATABASE_URL: database.url, CRM_URL: silent.origin });
    const [checked] = await Promise.all(runChecks([{ ...crm, timeoutMs: 300 }], context));
    expect(checked?.findings).toMatchObject([{ level: 'failure', found: 'no answer within 0.3 s' }]);
    await silent.close();
  });
});

it('warns without a receiver of notifications, and reports whether the mail server accepts our login', async () => {
  for (const NODE_ENV of ['production', 'development'])
    expect(await find('notifications', { NODE_ENV })).toEqual([
      expect.stringMatching(/^warning held runs and failed jobs are only shown at \/ops and in the metrics: set /),
    ]);
  const mails = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    hideSTARTTLS: true,
    onAuth: ({ password }, _, done) => (password === 'right' ? done(null, { user: 'portal' }) : done(new Error('no'))),
  });
  await new Promise<void>(listening => mails.listen(0, '127.0.0.1', listening));
  const address = mails.server.address();
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const env = { MAIL_FROM: 'portal@firm.example', NOTIFY_MAIL_TO: 'ops@firm.example' };
  expect(await find('notifications', { ...env, SMTP_URL: `smtp://portal:right@${host}` })).toEqual([
    'ok held runs and failed jobs are mailed (receivers: 1)',
    `ok the mail server at ${host} accepts our login`,
  ]);
  expect((await find('notifications', { ...env, SMTP_URL: `smtp://portal:wrong@${host}` }))[1]).toBe(
    `failure the mail server at ${host} rejects our login: correct user and password in SMTP_URL`,
  );
  await new Promise<void>(closed => mails.close(closed));
  expect((await find('notifications', { ...env, SMTP_URL: `smtp://${host}` }))[1]).toBe(
    `failure the mail server at ${host} cannot be used (ESOCKET): correct SMTP_URL, or start it`,
  );
});

it('reports whether the result store can be written', async () => {
  expect(await find('storage')).toEqual([expect.stringMatching(/: written, read and deleted in \d+ ms$/)]);
  expect(await find('storage', { STORAGE_URL: 'file:///dev/null/results' })).toEqual([
    'failure /dev/null/results cannot be used (ENOTDIR): let the service’s user write into the folder of STORAGE_URL',
  ]);
  expect((await find('disk')).length).toBeGreaterThan(0);
  expect(await find('memory')).toHaveLength(1);
  expect(await find('node')).toEqual([expect.stringMatching(/^ok Node\.js/)]);
});

it('names what other users of the machine can read in the data folder', async () => {
  const open = temporaryFolder();
  mkdirSync(path.join(open, 'results'), { mode: 0o700 });
  expect(await find('data folder', { DATA_DIR: open })).toEqual([`ok ${open}: not readable by other users`]);
  chmodSync(path.join(open, 'results'), 0o755);
  expect(await find('data folder', { DATA_DIR: open })).toEqual([
    `warning other users of this machine have rights on ${open}/results: restart the service, which takes their rights away, or run chmod go-rwx`,
  ]);
});

it('reports a database that is read-only', async () => {
  const readOnly = await createTestDatabase('doctor-read-only');
  await withConnection({ connectionString: readOnly.url }, client =>
    client.query(`alter database ${new URL(readOnly.url).pathname.slice(1)} set default_transaction_read_only = on`),
  );
  expect(await find('database', { DATABASE_URL: readOnly.url })).toEqual([
    'failure the database is read-only: connect to the primary, or end its maintenance',
  ]);
  await readOnly.drop();
});
