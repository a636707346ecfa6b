import { beforeAll, describe, expect, it } from 'vitest';
import { putBootstrapClient } from '../../../../../api/operations/oauth/bootstrap-client.ts';
import { type OauthClient, openOauthClient } from '../../../../support/oauth-client.ts';
import { useService } from '../../../../support/test-service.ts';

const service = useService('bootstrap-client');
let party: OauthClient;

beforeAll(async () => {
  party = await openOauthClient(service);
});

const start = (clientId: string, clientSecret: string, scopes = service.scopes) =>
  putBootstrapClient({
    config: { ...service.config, BOOTSTRAP_CLIENT_ID: clientId, BOOTSTRAP_CLIENT_SECRET: clientSecret },
    clients: service.clients,
    scopes,
  });
const auditOf = async (clientId: string) => {
  const { rows } = await service.database.pool.query(
    'select actor_kind, before, after from audit_entry where target = $1 order by id',
    [`/oauth/clients/${clientId}`],
  );
  return rows;
};

describe('the bootstrap client', () => {
  it('exists after the start with all scopes; concurrent starts create one', async () => {
    await Promise.all(Array.from({ length: 4 }, () => start('first', 'secret')));
    const { scope } = await party.token({ clientId: 'first', clientSecret: 'secret' });
    expect(scope?.split(' ')).toEqual(service.scopes);
    expect(await auditOf('first')).toMatchObject([{ actor_kind: 'start', before: null }]);
  });

  it('records an audit entry only when a start changes it', async () => {
    await start('second', 'secret', ['pdf']);
    await start('second', 'secret', ['pdf']);
    expect(await auditOf('second')).toHaveLength(1);
    await start('second', 'secret', ['pdf', 'ops']);
    expect((await auditOf('second')).at(-1)).toMatchObject({
      before: { scopes: ['pdf'] },
      after: { scopes: ['pdf', 'ops'] },
    });
  });

  it('has only the secret of the last start', async () => {
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
    expect(await auditOf('fourth')).toHaveLength(3);
  });
});
