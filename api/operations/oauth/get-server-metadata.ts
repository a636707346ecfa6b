import { z } from 'zod';
import { openQuery } from '../../http/input-schema.ts';
import { defineOperation } from '../../http/operation.ts';

const methods = z.array(z.string());

const Metadata = z
  .object({
    issuer: z.string().describe('The address of this server.'),
    token_endpoint: z.string().describe('Where tokens are issued.'),
    introspection_endpoint: z.string().describe('Where tokens are looked up.'),
    revocation_endpoint: z.string().describe('Where tokens are revoked.'),
    grant_types_supported: z.array(z.string()).describe('The supported grant types.'),
    response_types_supported: z.array(z.string()).describe('Empty: there is no authorization endpoint.'),
    scopes_supported: z.array(z.string()).describe('All scopes.'),
    token_endpoint_auth_methods_supported: methods.describe('How clients authenticate to get a token.'),
    introspection_endpoint_auth_methods_supported: methods.describe('How clients authenticate to look a token up.'),
    revocation_endpoint_auth_methods_supported: methods.describe('How clients authenticate to revoke a token.'),
    service_documentation: z.string().describe('Address of the API documentation.'),
  })
  .meta({
    examples: [
      metadataOf('https://portal.example/v2', 'https://portal.example/v2', ['crm:read', 'pdf', 'portal:read']),
    ],
  });

const path = '/.well-known/oauth-authorization-server';

/**
 * Source: RFC 8414. The issuer must match the URL of the document (section 3.3), so it differs between the root of the host
 * and the base path. The host comes from the configuration, never from the request.
 */
export default defineOperation({
  summary: 'Describe the OAuth endpoints (RFC 8414). Also available at the root of the host.',
  id: 'oauth.getServerMetadata',
  route: `GET ${path}`,
  scope: null,
  request: { query: z.object({}).meta(openQuery) },
  answers: { 200: { description: 'The authorization server’s metadata.', schema: Metadata } },
  async handle(_, { request, services }) {
    const { address, publicUrl, scopes } = services;
    const atRoot = request.originalUrl.split('?')[0] === path;
    const metadata: z.infer<typeof Metadata> = metadataOf(atRoot ? publicUrl : address.url, address.url, scopes);
    return { status: 200, headers: { 'cache-control': 'public, max-age=3600' }, body: metadata };
  },
});

function metadataOf(issuer: string, base: string, scopes: readonly string[]) {
  const authMethods = ['client_secret_basic', 'client_secret_post'];
  return {
    issuer,
    token_endpoint: `${base}/oauth/token`,
    introspection_endpoint: `${base}/oauth/introspect`,
    revocation_endpoint: `${base}/oauth/revoke`,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    scopes_supported: [...scopes],
    token_endpoint_auth_methods_supported: authMethods,
    introspection_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_methods_supported: authMethods,
    service_documentation: `${base}/docs`,
  };
}
