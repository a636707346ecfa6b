/** Simulates the listing portal: Property Finder's Enterprise API (tokens, locations, users, permits, enquiries). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callsPerWindow } from '../kit/limits.ts';
import { defineSandboxSystem } from '../kit/sandbox-system.ts';
import { createTokens } from '../kit/tokens.ts';
import { listAgents, seedAgents } from './agents.ts';
import { listLeads, type PortalLead } from './leads.ts';
import { listListings } from './listings.ts';
import { createLocationIndex } from './location-index.ts';
import { parsed, searchLocations } from './locations.ts';
import { findPermit, type PermitRequest, seedPermits } from './permits.ts';
import { seedPortalLocations } from './portal-locations.ts';
import { badCredentials, badToken, internalProblem, notFound, PortalProblem, rateLimited } from './problem.ts';
import { Simulation, simulate } from './webhooks.ts';

/** 40 and 32 characters, as the vendor's. */
const sandboxApiKey = 'sandbox'.padEnd(40, '0');
const sandboxApiSecret = 'sandbox'.padEnd(32, '0');

const settings = z.object({
  callLimit: z.boolean().default(true).describe('Whether the call limits apply; calls over a limit get 429.'),
  callsPerMinute: z.int().min(1).default(650).describe('Calls per minute, for each client address.'),
  tokenCallsPerMinute: z.int().min(1).default(60).describe('Token requests per minute, for each client address.'),
  tokenSeconds: z.number().min(0).default(1800).describe('Lifetime of a new token, in seconds.'),
  lenientSearch: z.boolean().default(false).describe('Whether `search` is optional in a location search.'),
  ownNameOnly: z
    .boolean()
    .default(false)
    .describe('Whether a location search matches only the location’s own name, not those of the places above it.'),
  messyData: z.boolean().default(false).describe('Whether rows are served in odd forms, as real accounts have them.'),
  repeatedPage: z
    .int()
    .min(0)
    .default(0)
    .describe('This page of a location search repeats the rows of the page before it; 0: none does.'),
});

const Credentials = z.object({ apiKey: z.string().length(40), apiSecret: z.string().length(32) });

/** The page of the portal's CDN when it blocks a client as a bot. */
const blockedPage =
  '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">\n<HTML><HEAD><TITLE>ERROR: The request could not be satisfied</TITLE></HEAD>\n<BODY><H1>403 ERROR</H1><H2>The request could not be satisfied.</H2>Request blocked.</BODY></HTML>\n';

export default defineSandboxSystem({
  title: 'Listing portal (Property Finder Enterprise API)',
  settings,
  faults: {
    'error-500': internalProblem.response,
    limit: rateLimited.response,
    unauthorized: badToken.response,
    html: { status: 403, headers: { 'content-type': 'text/html' }, body: blockedPage },
  },
  open({ collection, settings, onReset }) {
    const locations = collection('locations', { seed: seedPortalLocations, key: location => location.id });
    const users = collection('users', { seed: seedAgents, key: agent => agent.id });
    const permits = collection('permits', { seed: seedPermits, key: permit => permit.permitNumber });
    const leads = collection<PortalLead>('leads', { seed: () => [], key: lead => lead.id });
    const index = locations.derive(createLocationIndex);
    const tokens = createTokens();
    const tokenCalls = callsPerWindow(() => ({ calls: settings.tokenCallsPerMinute, seconds: 60 }));
    const calls = callsPerWindow(() => ({ calls: settings.callsPerMinute, seconds: 60 }));
    for (const { reset } of [tokens, tokenCalls, calls]) onReset(reset);

    const checkCaller = async (request: FastifyRequest): Promise<void> => {
      if (settings.callLimit && !calls.take(request.ip)) throw rateLimited;
      const [, token = ''] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
      if (!tokens.isValid(token)) throw badToken;
    };

    return async app => {
      answerProblems(app);
      app.post('/v1/auth/token', async request => {
        if (settings.callLimit && !tokenCalls.take(request.ip)) throw rateLimited;
        const { apiKey, apiSecret } = parsed(Credentials, request.body ?? {});
        if (apiKey !== sandboxApiKey || apiSecret !== sandboxApiSecret) throw badCredentials;
        return {
          accessToken: tokens.issue(settings.tokenSeconds),
          tokenType: 'Bearer',
          expiresIn: settings.tokenSeconds,
        };
      });
      app.post('/simulate', request => simulate(leads, parsed(Simulation, request.body ?? {})));
      await app.register(async members => {
        members.addHook('onRequest', checkCaller);
        members.get('/v1/locations', ({ query, headers }) =>
          searchLocations(index(), settings, { query, language: headers['accept-language'] }),
        );
        members.get('/v1/listings', ({ query }) => listListings(query));
        members.get('/v1/users', ({ query, protocol, host }) =>
          listAgents(users.all(), query, `${protocol}://${host}`),
        );
        members.get('/v1/leads', ({ query }) => listLeads(leads.all(), query, settings.messyData));
        members.get<PermitRequest>('/v1/compliances/:permit/:licence', ({ params, query }) =>
          findPermit(params, query, permits.get(params.permit)),
        );
      });
    };
  },
});

function answerProblems(app: FastifyInstance): void {
  const send = (reply: FastifyReply, { response }: PortalProblem) =>
    reply
      .code(response.status)
      .headers(response.headers ?? {})
      .send(response.body);
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    if (error instanceof PortalProblem) return send(reply, error);
    const { statusCode = 500 } = error;
    if (statusCode >= 500) return send(reply, internalProblem);
    return send(reply, new PortalProblem(statusCode, 'SCHEMA_VALIDATION', error.message));
  });
  app.setNotFoundHandler((request, reply) => send(reply, notFound(`There is no ${request.url}`)));
}
