/** The client that exists from the first start, so that there is someone to make the others. */
import type { OauthClients } from '../core/db/oauth-clients.ts';
import type { ApiConfig } from './config.ts';

export async function putBootstrapClient(
  config: ApiConfig,
  clients: OauthClients,
  scopes: readonly string[],
): Promise<void> {
  const { BOOTSTRAP_CLIENT_ID: clientId, BOOTSTRAP_CLIENT_SECRET: clientSecret } = config;
  if (clientId === undefined || clientSecret === undefined) return;
  await clients.put(
    { clientId, clientSecret, name: 'Bootstrap client', scopes: [...scopes] },
    { kind: 'start', name: 'BOOTSTRAP_CLIENT_ID' },
  );
}
