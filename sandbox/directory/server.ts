/** Simulates the identity directory: users, groups and state jobs of JumpCloud's v1 and v2 API. */
import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callsPerWindow } from '../kit/limits.ts';
import { createRandom } from '../kit/random.ts';
import { defineSandboxSystem } from '../kit/sandbox-system.ts';
import { createTokens } from '../kit/tokens.ts';
import { addGroups, membershipKey } from './groups.ts';
import { createPager, DirectoryError } from './list-query.ts';
import { type Membership, seedGroups, seedMemberships, type UserGroup } from './seed-groups.ts';
import { type SystemUser, seedUsers } from './seed-users.ts';
import { addTokens, isTokenRequest } from './service-account.ts';
import { addStateJobs, runDueJobs, type StateJob } from './state-jobs.ts';
import { addUsers } from './users.ts';

const key = 'sandbox';

/** API v1 sends a message only. */
const errorBody = ({ url }: Pick<FastifyRequest, 'url'>, code: number, message: string): object =>
  url.includes('/v2/')
    ? { code, message, status: STATUS_CODES[code]?.replaceAll(' ', '_').toUpperCase() }
    : { message };

const fault = (status: number, message: string) => (request: FastifyRequest) => ({
  status,
  body: errorBody(request, status, message),
});

export default defineSandboxSystem({
  title: 'Identity directory (JumpCloud v1 and v2)',
  settings: z.object({
    users: z.int().min(0).max(20_000).default(260).describe('Number of users after the next reset of `users`.'),
    tokenSeconds: z.number().min(0).default(3_600).describe('Life of the access token of a service account.'),
    messyData: z.boolean().default(false).describe('Whether rows are served in odd forms, as real accounts have them.'),
    callsPerMinute: z.int().min(0).default(0).describe('Calls per minute before 429; 0: no limit.'),
    clockAheadSeconds: z
      .int()
      .min(0)
      .default(0)
      .describe('Seconds that the directory’s clock is ahead; jobs that are due by it run at the next call.'),
    totals: z.boolean().default(false).describe('Whether lists of API v2 have the header `x-total-count`.'),
    shortPages: z
      .int()
      .min(0)
      .max(99)
      .default(0)
      .describe('Rows that each page lacks at its end, down to one row; the next page starts with them.'),
    deletedRows: z
      .int()
      .min(0)
      .default(0)
      .describe(
        'Rows that are deleted while lists are read: the first row of each page that is not the last, after the page is sent.',
      ),
  }),
  faults: {
    'error-500': fault(500, 'Internal Server Error'),
    limit: fault(429, 'Too Many Requests'),
    unauthorized: fault(401, 'Unauthorized'),
  },
  open({ collection, settings, onReset }) {
    const users = collection<SystemUser>('users', { seed: () => seedUsers(settings.users), key: user => user._id });
    const groups = collection<UserGroup>('groups', { seed: () => seedGroups(users.all()), key: group => group.id });
    const memberships = collection<Membership>('memberships', {
      seed: () => seedMemberships(users.all(), groups.all()),
      key: membershipKey,
    });
    const jobs = collection<StateJob>('state-jobs', { seed: () => [], key: job => job.scheduledJobId });
    let random = createRandom('directory jobs');
    const limit = callsPerWindow(() => ({ calls: settings.callsPerMinute, seconds: 60 }));
    const pager = createPager(settings);
    const tokens = createTokens();
    onReset(() => {
      tokens.reset();
      pager.reset();
      random = createRandom('directory jobs');
      limit.reset();
    });
    const isAuthorized = ({ headers }: FastifyRequest): boolean =>
      headers['x-api-key'] === key || tokens.isValid((headers.authorization ?? '').replace(/^Bearer /, ''));
    const newId = (): string => {
      const id = `62${random.hex(22)}`;
      return jobs.get(id) ? newId() : id;
    };
    const isOverLimit = () => settings.callsPerMinute > 0 && !limit.take(key);
    const context = {
      users,
      jobs,
      now: () => Date.now() + settings.clockAheadSeconds * 1_000,
      newId,
      pager,
      sendTotal(reply: FastifyReply, total: number) {
        if (settings.totals) reply.header('x-total-count', total);
      },
    };

    return async app => {
      app.addHook('onRequest', async request => {
        if (isTokenRequest(request)) return;
        if (!isAuthorized(request)) throw new DirectoryError(401, 'Unauthorized');
        if (isOverLimit()) throw new DirectoryError(429, 'Too Many Requests');
        runDueJobs(context);
      });
      addTokens(app, tokens, () => settings.tokenSeconds);
      app.setErrorHandler((error: Error, request, reply) => {
        const status = error instanceof DirectoryError ? error.status : 400;
        return reply.code(status).send(errorBody(request, status, error.message));
      });
      app.setNotFoundHandler((request, reply) => reply.code(404).send(errorBody(request, 404, 'Not Found')));
      addUsers(app, users, { pager, isMessy: () => settings.messyData });
      addGroups(app, { ...context, groups, memberships });
      addStateJobs(app, context);
    };
  },
});
