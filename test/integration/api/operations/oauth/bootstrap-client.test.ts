import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putBootstrapClient } from '../../../../../api/operations/oauth/bootstrap-client.ts';
import { type OauthClient, openOauthClient } from '../../../../support/oauth-client.ts';
import { startTestService, type TestService } from '../../../../support/test-service.ts';

let service: TestService;
let party: OauthClient;

beforeAll(async () => {
  service = await startTestService('bootstrap-client');
  party = await openOauthClient(service);
});
afterAll(() => service.close());

const start = (clientId: string, clientSecret: string, scopes = service.scopes) =>
  putBootstrapClient({
    config: { ...service.config, BOOTSTRAP_CLIENT_ID: clientId, BOOTSTRAP_CLIENT_SECRET: clientSecret },
    clients: service.clients,
    scopes,
  });
const acts = async (clientId: string) => {
  const { rows } = await service.database.pool.query(
    'select actor_kind, before, after from audit_entry where target = $1 order by id',
    [`/oauth/clients/${clientId}`],
  );
  return rows;
};

describe('the bootstrap client', () => {
  it('is there after the start with all scopes; processes that start together make one', async () => {
    await Promise.all(Array.from({ length: 4 }, () => start('first', 'secret')));
    const { scope } = await party.token({ clientId: 'first', clientSecret: 'secret' });
    expect(scope?.split(' ')).toEqual(service.scopes);
    expect(await acts('first')).toMatchObject([{ actor_kind: 'start', before: null }]);
  });

  it('leaves an audit entry only when a start changed it', async () => {
    await start('second', 'secret', ['pdf']);
    await start('second', 'secret', ['pdf']);
    expect(await acts('second')).toHaveLength(1);
    await start('second', 'secret', ['pdf', 'ops']);
    expect((await acts('second')).at(-1)).toMatchObject({
      before: { scopes: ['pdf'] },
      after: { scopes: ['pdf', 'ops'] },
    });
  });

  it('has the secret of the last start, and no other', async () => {
    await start('third', 'old');
    await start('third', 'new');
    await party.token({ clientId: 'third', clientSecret: 'new' });
    await expect(party.token({ clientId: 'third', clientSecret: 'old' }, {}, 'post')).rejects.toMatchObject({
      error: 'invalid_client',
    });
  });

  it('is active again after a start', async () => {
    await start('fourth', 'secret');
    await service.clients.deactivate('fourth', { kind: 'command', name: 'test' });
    await start('fourth', 'secret');
    await party.token({ clientId: 'fourth', clientSecret: 'secret' });
    expect(await acts('fourth')).toHaveLength(3);
  });
});
