/** Creates or updates the client of BOOTSTRAP_CLIENT_ID, which has all scopes and can create other clients. */
import type { ApiServices } from '../../services.ts';

export async function putBootstrapClient({
  config,
  clients,
  scopes,
}: Pick<ApiServices, 'config' | 'clients' | 'scopes'>): Promise<void> {
  const { BOOTSTRAP_CLIENT_ID: clientId, BOOTSTRAP_CLIENT_SECRET: clientSecret } = config;
  if (clientId === undefined || clientSecret === undefined) return;
  await clients.put(
    { clientId, clientSecret, name: 'Bootstrap client', scopes: [...scopes] },
    { kind: 'start', name: 'BOOTSTRAP_CLIENT_ID' },
  );
}
