/** Scheduled changes of users' states. The directory makes another job each time it is asked, so we look first. */
import { z } from 'zod';
import type { SystemHttp } from '../kit/http.ts';
import { didFind } from '../kit/optional.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import { type Range, readHeadedPage, readRange, readWhole } from './paging.ts';
import { type StateJob, StateJobsAnswer, type TargetState } from './wire.ts';

export interface StateOrder {
  userIds: readonly string[];
  state: TargetState;
  startDate: Date;
}

const path = '/v2/bulk/userstates';

export function openStateJobs(http: SystemHttp) {
  const pageFor = (userId: string | undefined) => (range: Range) =>
    readHeadedPage(
      http,
      {
        class: 'read',
        method: 'GET',
        path,
        query: { userid: userId },
        answer: StateJobsAnswer,
      },
      range,
    );
  const list = async ({ userId }: { userId?: string | undefined } = {}): Promise<StateJob[]> =>
    (await readWhole(pageFor(userId))).items;

  async function existing({ userIds, state, startDate }: StateOrder): Promise<Map<string, StateJob>> {
    const jobs = userIds.length === 1 ? await list({ userId: userIds[0] }) : await list();
    const equal = jobs.filter(job => job.state === state && job.startDate.getTime() === startDate.getTime());
    return new Map(equal.map(job => [job.userId, job]));
  }

  async function create({ userIds, state, startDate }: StateOrder): Promise<StateJob[]> {
    const json = { user_ids: userIds, state, start_date: startDate.toISOString() };
    return await http.call({ class: 'create', method: 'POST', path, json, answer: StateJobsAnswer });
  }

  return {
    list,
    page: (range: Range, userId?: string) => readRange(range, pageFor(userId)),

    /** @throws UpstreamError; when it is not known whether the jobs were made, the next try finds those that were */
    async ensure(order: StateOrder): Promise<StateJob[]> {
      const jobs = await existing(order);
      const lacking = order.userIds.filter(id => !jobs.has(id));
      if (lacking.length > 0) {
        const made = await create({ ...order, userIds: lacking }).catch(async (error: unknown) => {
          if (!(error instanceof UpstreamError) || !error.failure.mayHaveRun) throw error;
          const found = await existing(order);
          if (lacking.every(id => found.has(id))) return [...found.values()];
          throw error;
        });
        for (const job of made) jobs.set(job.userId, job);
      }
      return order.userIds.flatMap(id => jobs.get(id) ?? []);
    },

    /** @returns false when it was gone or carried out */
    delete: (id: string): Promise<boolean> =>
      didFind(http.call({ class: 'set', method: 'DELETE', path: `${path}/${id}`, answer: z.unknown() })),
  };
}
