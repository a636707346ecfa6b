/** The client that exists from the first start, so that there is someone to make the others. */
import type { OauthStore } from '../core/db/oauth.ts';
import type { ApiConfig } from './config.ts';
import type { Operation } from './operation.ts';
import { allScopes } from './scopes.ts';

export async function putBootstrapClient(
  config: ApiConfig,
  oauth: OauthStore,
  operations: readonly Operation[],
): Promise<void> {
  const { BOOTSTRAP_CLIENT_ID: clientId, BOOTSTRAP_CLIENT_SECRET: clientSecret } = config;
  if (clientId === undefined || clientSecret === undefined) return;
  await oauth.putClient({ clientId, clientSecret, name: 'Bootstrap client', scopes: allScopes(operations) });
}
