/** A real OpenID Connect provider on loopback, with a login form and people in groups. */
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

export interface OpenIdProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  close(): Promise<void>;
}

/**
 * @param groups by login name
 * @param pages the address of the operations pages
 */
export async function startOpenIdProvider(
  groups: Readonly<Record<string, readonly string[]>>,
  pages: string,
): Promise<OpenIdProvider> {
  const [clientId, clientSecret] = ['portal-operations', 'a secret of at least thirty-two characters'];
  // The issuer contains the port, which is known after listening.
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the provider has no TCP port');
  const issuer = `http://127.0.0.1:${address.port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${pages}/sign-in/callback`],
        post_logout_redirect_uris: [pages],
      },
    ],
    claims: { openid: ['sub'], email: ['email'], groups: ['groups'] },
    scopes: ['openid', 'email', 'groups'],
    features: { devInteractions: { enabled: true } },
    cookies: { keys: ['a key of the test'] },
    findAccount: (_context, login) => ({
      accountId: login,
      claims: async () => ({ sub: login, email: `${login}@example.com`, groups: [...(groups[login] ?? [])] }),
    }),
  });
  server.on('request', provider.callback());
  return {
    issuer,
    clientId,
    clientSecret,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
