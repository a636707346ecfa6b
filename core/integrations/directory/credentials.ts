/**
 * Credentials of the directory: the access token of a service account, or the API key of an administrator. JumpCloud
 * recommends service accounts, which belong to no person (jumpcloud.com/support/service-account-for-apis).
 */
import { z } from 'zod';
import { httpUrl } from '../../runtime/config.ts';
import type { SystemTools } from '../kit/context.ts';
import type { SystemHttpOptions } from '../kit/http.ts';
import { cacheToken } from '../kit/token-cache.ts';

export const CredentialsConfig = z.object({
  DIRECTORY_CLIENT_ID: z
    .string()
    .default('')
    .describe('Client id of a service account of the identity directory; takes precedence over an API key.'),
  DIRECTORY_CLIENT_SECRET: z.string().default('').describe('Its client secret.'),
  DIRECTORY_OAUTH_URL: httpUrl
    .default('https://admin-oauth.id.jumpcloud.com/oauth2')
    .describe('Base of the OAuth endpoints that issue its tokens; EU: https://admin-oauth.id.eu.jumpcloud.com/oauth2.'),
  DIRECTORY_API_KEY: z
    .string()
    .default('')
    .describe('API key of an administrator of the identity directory, without a service account.'),
  DIRECTORY_ORGANIZATION_ID: z
    .string()
    .optional()
    .describe('Id of the organisation, for an API key of several organisations.'),
});
type CredentialsConfig = z.infer<typeof CredentialsConfig>;

const tokenPath = '/token';
/** The operation in failures of the token request. */
export const tokenOperation = `POST ${tokenPath}`;

const TokenAnswer = z.object({ access_token: z.string(), expires_in: z.number() });

export function credentials(
  config: CredentialsConfig,
  tools: SystemTools,
): Pick<SystemHttpOptions, 'headers' | 'onUnauthorized'> {
  const organisation: Record<string, string> = config.DIRECTORY_ORGANIZATION_ID
    ? { 'x-org-id': config.DIRECTORY_ORGANIZATION_ID }
    : {};
  if (config.DIRECTORY_CLIENT_ID === '')
    return { headers: () => ({ 'x-api-key': config.DIRECTORY_API_KEY, ...organisation }) };
  const token = cacheToken(tools.system, tokenFetcher(config, tools));
  return {
    headers: async () => ({ authorization: `Bearer ${await token.get()}`, ...organisation }),
    onUnauthorized: token.invalidate,
  };
}

/** Client credentials grant (RFC 6749 section 4.4). */
function tokenFetcher(config: CredentialsConfig, tools: SystemTools) {
  const { DIRECTORY_CLIENT_ID: id, DIRECTORY_CLIENT_SECRET: secret } = config;
  const http = tools.http({ baseUrl: config.DIRECTORY_OAUTH_URL });
  return async () => {
    const begun = Date.now();
    const answer = await http.call({
      class: 'read',
      method: 'POST',
      path: tokenPath,
      headers: {
        authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'api' }).toString(),
      answer: TokenAnswer,
    });
    return { value: answer.access_token, expiresAt: begun + answer.expires_in * 1_000 };
  };
}
