/**
 * The studio at `/studio`: a page to write, preview and print the request of a brochure. It is public and the same for all:
 * it contains no data, and calls the operations of the API with a token of its reader.
 */
import { readdir, readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { sandboxRules } from '../../core/egress/config.ts';
import { templateFolder } from '../../core/runtime/discover.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { propertyTypes } from '../../workers/pdf/vocabulary/property-types.ts';
import type { Table } from '../../workers/pdf/vocabulary/table.ts';
import {
  completions,
  conditions,
  furnishings,
  offeringTypes,
  rentalPeriods,
} from '../../workers/pdf/vocabulary/terms.ts';
import { openPage } from '../http/html-page.ts';
import { addContent, staticContent } from '../http/static-content.ts';
import { skipTokenCheck } from '../plugins/bearer.ts';
import type { ApiServices } from '../services.ts';
import { studioScript } from './studio-script.ts';

const arabicFont = new URL('pdf/fonts/ibm-plex-sans-arabic-arabic-400.woff2', templateFolder);

/** @param photos the origin of the sandbox's photos */
const contentSecurityPolicy = (photos: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    // Photos of listings as thumbnails.
    `img-src blob: https: ${photos}`.trim(),
    "font-src 'self'",
    // The mail, which has a stricter policy of its own.
    "frame-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

export async function mountStudio(app: FastifyInstance, { config }: Pick<ApiServices, 'config'>): Promise<void> {
  const url = `${config.BASE_PATH}/studio`;
  const { answer, styles } = await openPage('studio/page.hbs', 'studio/styles.css');
  const photos = photoOrigin(config);
  // `no-referrer` would also remove the Origin header, which `rejectForged` checks.
  const own = { 'content-security-policy': contentSecurityPolicy(photos), 'referrer-policy': 'same-origin' };
  const page = answer(200, { base: config.BASE_PATH, photos }, own);
  const { 'cache-control': _, ...headers } = page.headers;
  await app.register(async studio => {
    skipTokenCheck(studio);
    addContent(studio, url, async () => staticContent(headers['content-type'], page.body, headers));
    addContent(studio, `${url}/styles.css`, async () => staticContent('text/css; charset=utf-8', Buffer.from(styles)));
    addContent(studio, `${url}/arabic.woff2`, async () => staticContent('font/woff2', await readFile(arabicFont)));
    addContent(studio, `${url}/studio.js`, async () =>
      staticContent('text/javascript; charset=utf-8', await studioScript()),
    );
    addContent(studio, `${url}/vocabulary.json`, async () =>
      staticContent('application/json', Buffer.from(JSON.stringify(vocabulary))),
    );
    addContent(studio, `${url}/samples.json`, async () =>
      staticContent('application/json', Buffer.from(JSON.stringify(await samples(config)))),
    );
    studio.get(`${url}/`, (_request, reply) => reply.redirect(url));
  });
}

const names = ({ terms }: Table) => [...new Set(terms.map(({ english }) => english))];

/** The terms of the portals' lists by the member of a listing. */
const vocabulary = {
  purpose: names(offeringTypes),
  property_type: names(propertyTypes),
  completion_status: names(completions),
  rental_period: names(rentalPeriods),
  furnished: names(furnishings),
  furnishing_type: names(furnishings),
  property_condition: names(conditions),
  current_status: names(conditions),
};

/** The origin of the photos in the samples. */
const sandboxOrigin = 'http://127.0.0.1:9100';

/** The sandbox's own; '' without one. */
const photoOrigin = (config: ApiServices['config']): string =>
  sandboxRules(config).length === 0 ? '' : `http://${config.SANDBOX_HOST}:${config.SANDBOX_PORT}`;

/** The sample requests by name. Without a sandbox they have no photos. */
async function samples(config: ApiServices['config']): Promise<Record<string, unknown>> {
  const sampleFolder = new URL('pdf/samples/', templateFolder);
  const origin = photoOrigin(config);
  const withPhotos = (_key: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter(item => item !== undefined);
    if (typeof value !== 'string' || !value.startsWith(sandboxOrigin)) return value;
    return origin === '' ? undefined : value.replace(sandboxOrigin, origin);
  };
  const files = (await readdir(sampleFolder)).filter(file => file.endsWith('.json')).sort();
  const read = async (file: string) =>
    [file.replace('.json', ''), JSON.parse(await readFile(new URL(file, sampleFolder), 'utf8'), withPhotos)] as const;
  return Object.fromEntries(await Promise.all(files.map(read)));
}

const client = {
  clientId: 'studio',
  name: 'Studio',
  description: 'Tokens for operators who use the studio. It has no secret; deactivate it to end this.',
  scopes: ['pdf'],
  tokenLifetimeSeconds: 900,
};

/**
 * Issues a token with the scope `pdf` to a logged-in operator. Not to a token with the scope `ops`, which would get a scope
 * that its client does not have.
 */
export function addStudioToken(ops: FastifyInstance, { clients, oauth }: ApiServices): void {
  ops.post('/studio-token', async ({ operator: { kind, name }, id: requestId }, reply) => {
    if (kind !== 'operator')
      throw new ServiceError('forbidden', 'Only people get a token for the studio; use a token with the scope pdf.');
    const { isActive } = await clients.createWithoutSecret(client, { kind, name, requestId });
    if (!isActive)
      throw new ServiceError('forbidden', 'The client "studio" is deactivated; another client can log in.');
    const { accessToken, expiresInSeconds } = await oauth.issueToken(client, client.scopes);
    return reply
      .header('cache-control', 'no-store')
      .send({ access_token: accessToken, token_type: 'Bearer', expires_in: expiresInSeconds });
  });
}
