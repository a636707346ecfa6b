/** An independent OAuth client library for a test service; discovers the server by its public URL. */
import { randomUUID } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import type { TestService } from './test-service.ts';

export interface Login {
  clientId: string;
  clientSecret: string;
}

export type AuthenticationMethod = 'basic' | 'post';

export interface OauthClient {
  server: oauth.AuthorizationServer;
  token(
    login: Login,
    parameters?: Record<string, string>,
    by?: AuthenticationMethod,
  ): Promise<oauth.TokenEndpointResponse>;
  introspect(login: Login, token: string, by?: AuthenticationMethod): Promise<oauth.IntrospectionResponse>;
  revoke(login: Login, token: string, by?: AuthenticationMethod): Promise<void>;
}

const methods = { basic: oauth.ClientSecretBasic, post: oauth.ClientSecretPost };

/** @param issuer one of the service's two issuers: its public URL, or that with the base path */
export async function openOauthClient(service: TestService, issuer = service.publicUrl): Promise<OauthClient> {
  const options = {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: (
      url: string,
      { body, ...init }: oauth.CustomFetchOptions<string, URLSearchParams | undefined>,
    ) => fetch(url.replace(service.publicUrl, service.origin), { ...init, ...(body && { body }) }),
  };
  const discovery = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...options });
  const server = await oauth.processDiscoveryResponse(new URL(issuer), discovery);

  return {
    server,
    async token({ clientId, clientSecret }, parameters = {}, by = 'basic') {
      const client = { client_id: clientId };
      const response = await oauth.clientCredentialsGrantRequest(
        server,
        client,
        methods[by](clientSecret),
        parameters,
        options,
      );
      return oauth.processClientCredentialsResponse(server, client, response);
    },
    async introspect({ clientId, clientSecret }, token, by = 'basic') {
      const client = { client_id: clientId };
      const response = await oauth.introspectionRequest(server, client, methods[by](clientSecret), token, options);
      return oauth.processIntrospectionResponse(server, client, response);
    },
    async revoke({ clientId, clientSecret }, token, by = 'basic') {
      const response = await oauth.revocationRequest(
        server,
        { client_id: clientId },
        methods[by](clientSecret),
        token,
        options,
      );
      await oauth.processRevocationResponse(response);
    },
  };
}

/** Creates a client as an administrator does. */
export async function createLogin(
  service: TestService,
  scopes: readonly string[] = ['pdf'],
  tokenLifetimeSeconds = 3_600,
): Promise<Login> {
  const { clientId, clientSecret } = await service.clients.create(
    { name: `Test ${randomUUID()}`, description: '', scopes: [...scopes], tokenLifetimeSeconds },
    { kind: 'command', name: 'test' },
  );
  return { clientId, clientSecret };
}

/** The status of a request to a route that accepts any valid token. */
export async function statusOf(service: TestService, accessToken: string): Promise<number> {
  const response = await fetch(`${service.origin}/v2/jobs`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  await response.arrayBuffer();
  return response.status;
}

export const basic = ({ clientId, clientSecret }: Login): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64')}`;
