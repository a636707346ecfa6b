/** Simulates the identity directory: users, groups and state jobs of JumpCloud's v1 and v2 API. */
import { z } from 'zod';
import { callsPerWindow } from '../kit/limits.ts';
import { createRandom } from '../kit/random.ts';
import { defineSandboxSystem } from '../kit/sandbox-system.ts';
import { addGroups, membershipKey } from './groups.ts';
import { DirectoryError } from './list-query.ts';
import { type Membership, seedGroups, seedMemberships, type UserGroup } from './seed-groups.ts';
import { type SystemUser, seedUsers } from './seed-users.ts';
import { addStateJobs, runDueJobs, type StateJob } from './state-jobs.ts';
import { addUsers } from './users.ts';

const key = 'sandbox';

export default defineSandboxSystem({
  title: 'Identity directory (JumpCloud v1 and v2)',
  settings: z.object({
    users: z
      .int()
      .min(0)
      .max(20_000)
      .default(260)
      .describe('Number of users after the next reset of `users`.'),
    callsPerMinute: z.int().min(0).default(0).describe('Calls per minute before 429; 0: no limit.'),
    clockAheadSeconds: z
      .int()
      .min(0)
      .default(0)
      .describe('Seconds that the directory’s clock is ahead; jobs that are due by it run at the next call.'),
  }),
  faults: {
    'error-500': { status: 500, body: { message: 'Internal Server Error' } },
    limit: { status: 429, body: { message: 'Too Many Requests' } },
    unauthorized: { status: 401, body: { message: 'Unauthorized' } },
  },
  open({ collection, settings, onReset }) {
    const users = collection<SystemUser>('users', {
      seed: () => seedUsers(settings.users),
      key: user => user._id,
    });
    const groups = collection<UserGroup>('groups', {
      seed: () => seedGroups(users.all()),
      key: group => group.id,
    });
    const memberships = collection<Membership>('memberships', {
      seed: () => seedMemberships(users.all(), groups.all()),
      key: membershipKey,
    });
    const jobs = collection<StateJob>('state-jobs', { seed: () => [], key: job => job.scheduledJobId });
    let random = createRandom('directory jobs');
    const limit = callsPerWindow(() => ({ calls: settings.callsPerMinute, seconds: 60 }));
    onReset(() => {
      random = createRandom('directory jobs');
      limit.reset();
    });
    const isOverLimit = () => settings.callsPerMinute > 0 && !limit.take(key);
    const context = {
      users,
      jobs,
      now: () => Date.now() + settings.clockAheadSeconds * 1_000,
      newId: () => `62${random.hex(22)}`,
    };

    return async app => {
      app.addHook('onRequest', async (request, reply) => {
        if (request.headers['x-api-key'] !== key) return reply.code(401).send({ message: 'Unauthorized' });
        if (isOverLimit()) return reply.code(429).send({ message: 'Too Many Requests' });
        runDueJobs(context);
      });
      app.setErrorHandler((error: Error, request, reply) => {
        const status = error instanceof DirectoryError ? error.status : 400;
        const isV2 = request.url.includes('/v2/');
        return reply
          .code(status)
          .send(
            isV2
              ? { code: status === 404 ? 5 : 3, message: error.message, status, details: [] }
              : { message: error.message },
          );
      });
      app.setNotFoundHandler((_, reply) => reply.code(404).send({ message: 'Not Found' }));
      addUsers(app, users);
      addGroups(app, { users, groups, memberships });
      addStateJobs(app, context);
    };
  },
});
