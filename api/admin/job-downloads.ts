/** Downloads from the job page: the result, and all changes of a held plan. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../core/runtime/errors.ts';
import { resultOf, sendResultFile } from '../jobs/job-result.ts';
import type { ApiServices } from '../services.ts';
import { findJob } from './job-actions.ts';
import { changesCsv } from './planned-changes.ts';

const JobParams = z.object({ id: z.string() });
const PartParams = JobParams.extend({ name: z.string() });

export function addJobDownloads(ops: FastifyInstance, services: ApiServices): void {
  ops.get('/jobs/:id/result', async (request, reply) => {
    const job = await resultOf(await findJob(JobParams.parse(request.params).id, services), { services });
    const { status, headers, body } = await sendResultFile(job, { services, request });
    return reply
      .code(status)
      .headers(headers ?? attachment(`${job.id}.json`))
      .send(body);
  });

  ops.get('/jobs/:id/result/files/:name', async (request, reply) => {
    const { id, name } = PartParams.parse(request.params);
    const job = await resultOf(await findJob(id, services), { services });
    if (!job.resultFile) throw new ServiceError('not-found', 'The result of this job has no files.');
    const { status, headers = {}, body } = await sendResultFile(job, { services, request }, { part: name });
    return reply.code(status).headers(headers).send(body);
  });

  ops.get('/jobs/:id/plan.csv', async (request, reply) => {
    const job = await findJob(JobParams.parse(request.params).id, services);
    const plan = await services.records.plan(job.id);
    if (!plan) throw new ServiceError('not-found', 'The job has no plan: it was not held.');
    return reply
      .type('text/csv; charset=utf-8')
      .headers(attachment(`${job.id}.csv`))
      .send(Readable.from(changesCsv(services.records.plannedRows(job.id)), { objectMode: false }));
  });
}

const attachment = (fileName: string) => ({
  'content-disposition': `attachment; filename="${fileName}"`,
  'cache-control': 'no-store',
});
