/**
 * The identity directory (JumpCloud): the people who may sign in, and their groups. It has no call that ends a user's
 * sessions: suspending a user ends them, expiring the password does not.
 */
import { z } from 'zod';
import { httpUrl } from '../../runtime/config.ts';
import { ServiceError } from '../../runtime/errors.ts';
import { failure } from '../../runtime/finding.ts';
import type { SystemTools } from '../kit/context.ts';
import { defineSystem } from '../kit/define-system.ts';
import type { SystemHttp } from '../kit/http.ts';
import { goodRows } from '../kit/read-rows.ts';
import { orFalse, UpstreamError } from '../kit/upstream-error.ts';
import { CredentialsConfig, credentials, tokenOperation } from './credentials.ts';
import { cutRange, type Page, type Range, readWhole, v2Pages } from './paging.ts';
import { openGroups, openUsers } from './users.ts';
import { type DirectoryUser, type StateJob, StateJobsAnswer, system, type TargetState } from './wire.ts';

export const DirectoryConfig = z.object({
  DIRECTORY_URL: httpUrl
    .optional()
    .describe(
      'The identity directory’s API (JumpCloud), such as https://console.jumpcloud.com/api; unset: not configured.',
    ),
  ...CredentialsConfig.shape,
});

export default defineSystem({
  ...system,
  config: DirectoryConfig,
  configuredBy: 'DIRECTORY_URL',
  sandbox: base => ({ DIRECTORY_URL: base, DIRECTORY_API_KEY: 'sandbox' }),
  open: openDirectory,
  probe: directory => directory.usersPage({ offset: 0, limit: 1 }),
  // The console answers other paths with its own pages.
  mistakeOf: ({ status = 0, code, call }) =>
    call?.operation !== tokenOperation && (status === 404 || (code === 'html' && status < 300))
      ? failure(
          'DIRECTORY_URL is not the base path of the directory’s API',
          'set it to https://console.jumpcloud.com/api (EU: https://console.eu.jumpcloud.com/api), without /v2',
        )
      : undefined,
});

export interface StateChange {
  userIds: readonly string[];
  state: TargetState;
  startDate: Date;
}

export type Directory = ReturnType<typeof openDirectory>;

function openDirectory(config: z.infer<typeof DirectoryConfig>, tools: SystemTools) {
  const http = tools.http({
    baseUrl: config.DIRECTORY_URL ?? '',
    ...credentials(config, tools),
  });
  const users = openUsers(http);

  return {
    ...users,
    ...openGroups(http),
    stateJobs: ({ userId }: { userId?: string | undefined } = {}) => listStateJobs(http, userId),

    /** Sorted by start date. */
    async stateJobsPage(range: Range, userId?: string): Promise<Page<StateJob>> {
      const jobs = await listStateJobs(http, userId);
      const byDate = (one: StateJob, other: StateJob) => one.startDate.getTime() - other.startDate.getTime();
      return cutRange(
        jobs.sort((one, other) => byDate(one, other) || (one.id < other.id ? -1 : 1)),
        range,
      );
    },

    /** @returns false when it was deleted or executed before */
    deleteStateJob: (id: string): Promise<boolean> =>
      orFalse(http.call({ class: 'set', method: 'DELETE', path: `${stateJobsPath}/${id}`, answer: z.unknown() })),

    /**
     * One job for each user, in the order of the ids; uses an equal job that exists.
     * @throws ServiceError invalid-input with the unknown users
     */
    async scheduleState(change: StateChange): Promise<StateJob[]> {
      rejectUnknown(await Promise.all(change.userIds.map(users.user)));
      return await ensureStateJobs(http, change);
    },
  };
}

const stateJobsPath = '/v2/bulk/userstates';

/** The vendor's specification has no `sort` for this list. */
const listStateJobs = (http: SystemHttp, userid: string | undefined): Promise<StateJob[]> =>
  readWhole({
    title: 'user-state jobs',
    sorted: false,
    readPage: v2Pages(http, stateJobsPath, StateJobsAnswer, { userid }),
  });

/** The directory creates another job with each request: existing ones are looked up first, and after a lost answer. */
async function ensureStateJobs(http: SystemHttp, change: StateChange): Promise<StateJob[]> {
  const jobs = await equalStateJobs(http, change);
  const missing = change.userIds.filter(id => !jobs.has(id));
  if (missing.length > 0) {
    const json = { user_ids: missing, state: change.state, start_date: change.startDate.toISOString() };
    const created = await http
      .call({ class: 'create', method: 'POST', path: stateJobsPath, json, answer: StateJobsAnswer })
      .then(goodRows)
      .catch(async (error: unknown) => {
        if (!(error instanceof UpstreamError) || !error.maybeExecuted) throw error;
        const found = await equalStateJobs(http, change);
        if (missing.every(id => found.has(id))) return [...found.values()];
        throw error;
      });
    for (const job of created) jobs.set(job.userId, job);
  }
  return change.userIds.flatMap(id => jobs.get(id) ?? []);
}

async function equalStateJobs(
  http: SystemHttp,
  { userIds, state, startDate }: StateChange,
): Promise<Map<string, StateJob>> {
  const jobs = await listStateJobs(http, userIds.length === 1 ? userIds[0] : undefined);
  const equal = jobs.filter(job => job.state === state && job.startDate.getTime() === startDate.getTime());
  return new Map(equal.map(job => [job.userId, job]));
}

function rejectUnknown(users: readonly (DirectoryUser | undefined)[]): void {
  const faults = users.flatMap((user, index) =>
    user ? [] : [{ pointer: `/userIds/${index}`, detail: 'is not a user of the identity directory' }],
  );
  if (faults.length === 0) return;
  throw new ServiceError('invalid-input', 'Some of these users do not exist in the identity directory.', {
    faults,
  });
}
