/**
 * The authorisation matrix: sends every kind of token to every operation of the API document, and every request about a job
 * as another client.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiDocument } from '../../../api/document/api-document.ts';
import { loadOperations } from '../../../api/http/load-operations.ts';
import { anyScope } from '../../../api/http/operation.ts';
import { newCredential } from '../../../core/oauth/credentials.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { createLogin, type OauthClient, openOauthClient } from '../../support/oauth-client.ts';
import { useService } from '../../support/test-service.ts';
import { openTrials, trialContracts, trialOperations } from '../../support/trial-jobs.ts';

const ApiOperation = z.object({ security: z.array(z.object({ oauth: z.array(z.string()) })), operationId: z.string() });
const ApiDocument = z.object({ paths: z.record(z.string(), z.record(z.string(), ApiOperation)) });

const operations = await loadOperations();
const { paths } = ApiDocument.parse(apiDocument(operations, []));
const described = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { security, operationId }]) => ({
    method: method.toUpperCase(),
    path,
    // Null: public. The document has an empty list of scopes for operations that accept any live token.
    scope: security[0] ? (security[0].oauth[0] ?? anyScope) : null,
    // `/health/ready` checks it for `verbose` only.
    checksItself:
      path !== '/health/ready' && operations.find(({ id }) => id === operationId)?.problems?.unauthorized !== undefined,
  })),
);
const scoped = described.filter(({ scope }) => scope !== null && scope !== anyScope);
const ofAJob = described.filter(({ path }) => path.startsWith('/jobs/{id}'));

const service = useService('authorisation', () => ({ operations: trialOperations, contracts: trialContracts }));
let party: OauthClient;
/** A token with all scopes. */
let full: string;
/** Tokens with all scopes that are no longer valid, by reason. */
let dead: Record<string, string>;
/** A token with all scopes of a client that has lost them since. */
let stripped: string;
const lacking = new Map<string, string>();

beforeAll(async () => {
  party = await openOauthClient(service);
  service.startWorker(openTrials().servedKinds);
  const tokenOf = async (scopes: readonly string[]) => (await service.client(scopes)).accessToken;
  full = await tokenOf(service.scopes);
  for (const { scope } of scoped) {
    if (scope !== null && !lacking.has(scope))
      lacking.set(scope, await tokenOf(service.scopes.filter(each => each !== scope)));
  }
  const { pool } = service.database;
  const [expired, revoked, inactive, poor] = await Promise.all(
    Array.from({ length: 4 }, () => service.client(service.scopes)),
  );
  await pool.query('update oauth_token set expires_at = now() where client_id = $1', [expired?.clientId]);
  const login = await createLogin(service, service.scopes);
  const { access_token } = await party.token(login);
  await party.revoke(login, access_token);
  // Not through the API, which would also delete the token.
  await pool.query('update oauth_client set is_active = false where client_id = $1', [inactive?.clientId]);
  await pool.query(`update oauth_client set scopes = '{}' where client_id = $1`, [poor?.clientId]);
  stripped = poor?.accessToken ?? '';
  dead = {
    expired: expired?.accessToken ?? '',
    revoked: access_token,
    'of an inactive client': inactive?.accessToken ?? '',
    unknown: newCredential('token'),
    mistyped: `${revoked?.accessToken}x`,
    'a client secret': newCredential('secret'),
  };
});

const send = async (method: string, path: string, authorization?: string) => {
  const answer = await fetch(`${service.origin}/v2${path.replaceAll(/[{}]/g, '')}`, {
    method,
    redirect: 'manual',
    headers: authorization === undefined ? {} : { authorization },
  });
  const challenge = answer.headers.get('www-authenticate');
  const contentType = answer.headers.get('content-type')?.split(';')[0];
  return { status: answer.status, challenge, contentType, text: await answer.text() };
};
const problem = { contentType: 'application/problem+json' };
const realm = 'Bearer realm="portal-service"';

describe('the API document', () => {
  const permitted = {
    [anyScope]:
      'jobs.cancel jobs.createResultLink jobs.explain jobs.get jobs.getCallbackSecret jobs.getMailClicks jobs.getPlan jobs.getResult jobs.getResultFile jobs.getTimeline jobs.list jobs.release jobs.retry jobs.rotateCallbackSecret jobs.streamEvents',
    'crm:read':
      'crm.getDealSummary crm.getItem crm.getLead crm.getLeadProductRows crm.getProduct crm.listDealSummaries crm.matchUser',
    'crm:sync':
      'crm.acquireDeals crm.acquireLocations crm.decideLocationAlias crm.forgetLocationAlias crm.listLocationAliases crm.syncLocations crm.tryLocation listingPortal.updateLocations',
    'crm:write': 'crm.createItem crm.createLead crm.takeLandingPageLead listingPortal.readEnquiries',
    'directory:read':
      'directory.listGroups directory.listStateJobs directory.listUserGroups directory.listUsers directory.searchUsers',
    'directory:write': 'directory.createStateJobs',
    'employees:read': 'employees.getEmployee employees.listEmployees',
    'employees:sync':
      'employees.deleteAllEmployees employees.listEmployeeSnapshots employees.restoreEmployees employees.resyncEmployees',
    'employees:write': 'employees.createEmployee employees.deleteEmployee employees.updateEmployee',
    events: 'events.authenticate events.processOrders',
    leads: 'portal.enrichLeads portal.queueLeads portal.updateLeads',
    'links:read': 'links.createReportLink links.getCampaignClicks links.getQr links.listCampaigns links.listProjects',
    'links:write': 'links.createCampaign links.createProject',
    public:
      'health.get health.getReadiness jobs.openResultLink links.open links.openReport listingPortal.takeEvent oauth.getServerMetadata oauth.introspectToken oauth.issueToken oauth.revokeToken telephony.openOptOut telephony.optOut',
    'oauth:clients':
      'oauth.createClient oauth.deactivateClient oauth.getClient oauth.listClients oauth.replaceClient oauth.rotateSecret',
    ops: 'telephony.reportContact',
    pdf: 'portal.createListingFiles portal.createNewPdf portal.createPdf portal.listBrands portal.previewPdf',
    'portal:read': 'portal.getLocationId portal.getUserData portal.searchLocations portal.searchLocationsForChat',
    'portal:write': 'portal.syncActivity',
    'projects:read':
      'propertyProjects.getDeveloper propertyProjects.getDistrict propertyProjects.getEmirate propertyProjects.getProject propertyProjects.listAmenities propertyProjects.listDevelopers propertyProjects.listDistricts propertyProjects.listEmirates propertyProjects.listFinishes propertyProjects.listProjects propertyProjects.listUnitLayouts propertyProjects.listUnitTypes propertyProjects.listUnits propertyProjects.listUsers',
    'projects:write':
      'propertyProjects.createUser propertyProjects.deleteUser propertyProjects.replaceUser propertyProjects.uploadImage',
    'schedules:read': 'schedules.get schedules.list',
    'schedules:run': 'schedules.pause schedules.resume schedules.run',
    telephony:
      'telephony.addSuppression telephony.checkDnc telephony.checkSuppression telephony.getSmsBalance telephony.removeSuppression telephony.sendSms telephony.sendSmsByGet telephony.takeReply',
    'users:terminate':
      'crm.terminateUser crm.terminateUserInChatBot crm.terminateUserInDirectory crm.terminateUserInPropertyProjects',
  };
  it.each(Object.entries(permitted))('the scope %s permits %s', (scope, ids) => {
    const withScope = operations.filter(operation => (operation.scope ?? 'public') === scope);
    expect(withScope.map(({ id }) => id).sort()).toEqual(ids.split(' '));
  });
  it('no operation has another scope', () =>
    expect(Object.keys(permitted)).toEqual(expect.arrayContaining(operations.map(({ scope }) => scope ?? 'public'))));

  it('names every operation with its scope', async () => {
    expect(described).toHaveLength(operations.length);
    const served: unknown = JSON.parse((await send('GET', '/openapi.json')).text);
    for (const { method, path, scope } of operations) {
      const security = scope === null ? [] : [{ oauth: scope === anyScope ? [] : [scope] }];
      expect(served).toHaveProperty(['paths', `/v2${path}`, method.toLowerCase(), 'security'], security);
    }
  });
});

describe('an operation that is not public', () => {
  it.each(described.filter(({ scope }) => scope !== null))(
    '$method $path returns 401 without a live token of an active client',
    async ({ method, path }) => {
      const unread = [undefined, 'Bearer', 'Bearer a b', `Basic ${full}`, full];
      const answers = await Promise.all(unread.map(authorization => send(method, path, authorization)));
      for (const answer of answers) expect(answer).toMatchObject({ ...problem, status: 401, challenge: realm });
      await Promise.all(
        Object.entries(dead).map(async ([why, token]) => {
          const rejected = { ...problem, status: 401, challenge: `${realm}, error="invalid_token"` };
          expect(await send(method, path, `Bearer ${token}`), why).toMatchObject(rejected);
        }),
      );
    },
  );

  it.each(scoped)('$method $path returns 403 naming its scope $scope to a token without it', async operation => {
    const { method, path, scope } = operation;
    for (const token of [lacking.get(scope ?? ''), stripped]) {
      const { text, ...rejected } = await send(method, path, `Bearer ${token}`);
      const challenge = `${realm}, error="insufficient_scope", scope="${scope}"`;
      expect(rejected).toEqual({ ...problem, status: 403, challenge });
      expect(JSON.parse(text)).toMatchObject({
        type: 'http://portal.example/v2/problems/insufficient-scope',
        detail: expect.stringContaining(String(scope)),
      });
    }
  });

  it.each(described.filter(({ scope }) => scope === anyScope))(
    '$method $path accepts any live token',
    async ({ method, path }) =>
      expect([401, 403]).not.toContain((await send(method, path, `Bearer ${stripped}`)).status),
  );
});

describe('a public operation', () => {
  const open = described.filter(({ scope, checksItself }) => scope === null && !checksItself);
  it.each(open)('$method $path ignores tokens', async ({ method, path }) => {
    const { status } = await send(method, path);
    expect([401, 403]).not.toContain(status);
    const answers = [full, ...Object.values(dead)].map(token => send(method, path, `Bearer ${token}`));
    expect(new Set((await Promise.all(answers)).map(answer => answer.status))).toEqual(new Set([status]));
  });
});

describe('a route that checks the token itself', () => {
  const inHandlers = described.filter(({ scope, checksItself }) => scope === null && checksItself);
  const outsideDocument = ['/metrics', '/ops', '/ops/jobs/x', '/ops/queues', '/health/ready?verbose'];
  it.each([...inHandlers, ...outsideDocument.map(path => ({ method: 'GET', path }))])(
    '$method $path returns 401 without a live token, and 403 without the scope',
    async ({ method, path }) => {
      const rejected = [undefined, ...Object.values(dead).map(token => `Bearer ${token}`)];
      const answers = await Promise.all(rejected.map(authorization => send(method, path, authorization)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
      expect(answers.every(({ challenge }) => challenge !== null)).toBe(true);
      expect((await send(method, path, `Bearer ${stripped}`)).status).toBe(403);
      expect([401, 403]).not.toContain((await send(method, path, `Bearer ${full}`)).status);
    },
  );
});

describe('a token', () => {
  it('is read from the header only', async () => {
    expect((await send('GET', `/jobs?access_token=${full}`)).status).toBe(401);
    expect((await send('GET', '/jobs', `Bearer ${full}`)).status).toBe(200);
  });

  it('updates the last use of its client, to the minute', async () => {
    const login = await createLogin(service);
    const { access_token } = await party.token(login);
    await service.database.pool.query(
      `update oauth_client set last_used_at = now() - interval '2 minutes' where client_id = $1`,
      [login.clientId],
    );
    await send('GET', '/jobs', `Bearer ${access_token}`);
    const used = (await service.clients.find(login.clientId))?.lastUsedAt;
    expect(Date.now() - Number(used)).toBeLessThan(60_000);
    await send('GET', '/jobs', `Bearer ${access_token}`);
    expect((await service.clients.find(login.clientId))?.lastUsedAt).toEqual(used);
  });
});

describe('another client’s job', () => {
  let owner: ApiClient;
  let stranger: ApiClient;
  let jobId: string;
  /** A well-formed id without a job. */
  const noJob = 'trial_01a1fc9f-0000-7000-8000-000000000000';

  beforeAll(async () => {
    owner = await service.client(['trial']);
    // Every scope except jobs:all, which gives access to the jobs of all clients.
    stranger = await service.client([...service.scopes.filter(scope => scope !== 'jobs:all'), 'trial']);
    const { id } = await owner.requestJob('POST', '/trials/trial', { body: { name: 'mine' } });
    jobId = (await owner.waitForJob(id)).id;
  });

  it('covers all job routes', () =>
    expect(ofAJob.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining([
        'GET /jobs/{id}',
        'DELETE /jobs/{id}',
        'GET /jobs/{id}/events',
        'GET /jobs/{id}/result',
        'POST /jobs/{id}/retry',
        'POST /jobs/{id}/result-link',
      ]),
    ));

  it.each(ofAJob)('$method $path returns the same 404 as for a job that does not exist', async ({ method, path }) => {
    const ask = (id: string, headers = {}) =>
      stranger.request(method, path.replace('{id}', id), {
        headers,
        ...(['POST', 'PUT', 'PATCH'].includes(method) && { body: {} }),
      });
    const others = await ask(jobId);
    expect(others.status).toBe(404);
    const none = await ask(noJob);
    const withoutId = ({ bytes }: typeof none, id: string) => bytes.toString().replaceAll(id, '…');
    expect(withoutId(others, jobId)).toBe(withoutId(none, noJob));
    expect(await ask(jobId, { 'idempotency-key': 'mine' })).toMatchObject({ status: 404 });
  });

  it('is not opened by a link to the result of an own job', async () => {
    const own = await stranger.requestJob('POST', '/trials/trial', { body: { name: 'own' } });
    await stranger.waitForJob(own.id);
    const { body } = await stranger.request('POST', `/jobs/${own.id}/result-link`, { body: {} });
    const { pathname, search } = new URL(z.object({ url: z.string() }).parse(body).url);
    const open = async (path: string) => (await fetch(service.origin + path)).status;
    expect(await open(pathname + search)).toBe(200);
    expect(await open(pathname.replace(own.id, jobId) + search)).toBe(404);
    expect(await open(`${pathname}${search.replace('expires=', 'expires=9')}`)).toBe(404);
  });

  it('is not listed, not changed, and not returned for an Idempotency-Key of its own client', async () => {
    const { body } = await stranger.request('GET', '/jobs');
    expect(JSON.stringify(body)).not.toContain(jobId);
    expect(await owner.job(jobId)).toMatchObject({ state: 'succeeded' });
    const start = (client: ApiClient) =>
      client.requestJob('POST', '/trials/trial', { body: { name: 'keyed' }, headers: { 'idempotency-key': 'shared' } });
    expect((await start(owner)).id).not.toBe((await start(stranger)).id);
  });
});
