/** Reads one job: the job itself, its result, its plan, and why it waits. */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { isAtRest, PlannedChanges, Release } from '../../../core/jobs/record.ts';
import { JobResource, jobResource } from '../../../core/jobs/resource.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { anyScope, defineOperation, ok } from '../../http/operation.ts';
import { JobParams, seenJob } from '../../jobs/job-access.ts';
import { Explanation, explainJob } from '../../jobs/job-explanation.ts';
import { fileHeaderNames, resultAnswers, resultOf, resultProblems, sendResultFile } from '../../jobs/job-result.ts';

const getJob = defineOperation({
  summary: 'One job: its state, progress, result, error and warnings.',
  id: 'jobs.get',
  route: 'GET /jobs/{id}',
  scope: anyScope,
  request: { params: JobParams },
  answers: { 200: { description: 'The job.', schema: JobResource, headers: ['Retry-After'] } },
  async handle({ params }, call) {
    const job = await seenJob(params.id, call);
    const { address, eta } = call.services;
    return ok(jobResource(job, address), {
      ...(!isAtRest(job.state) && { 'retry-after': String(await eta.retryAfterSeconds(job)) }),
    });
  },
});

const getResult = defineOperation({
  summary: 'The result of a job: a PDF or a report as JSON.',
  id: 'jobs.getResult',
  route: 'GET /jobs/{id}/result',
  scope: anyScope,
  request: { params: JobParams },
  answers: resultAnswers,
  problems: resultProblems,
  async handle({ params }, call) {
    return await sendResultFile(await resultOf(await seenJob(params.id, call), call), call);
  },
});

const getResultFile = defineOperation({
  summary: 'One file of a result with several files, by its name in `result.files`.',
  id: 'jobs.getResultFile',
  route: 'GET /jobs/{id}/result/files/{name}',
  scope: anyScope,
  request: {
    params: JobParams.extend({
      name: z
        .string()
        .max(200)
        .describe('Name of the file.')
        .meta({ examples: ['MP-S-2041-square.jpg'] }),
    }),
  },
  answers: {
    200: {
      description: 'The file with its SHA-256 in `Content-Digest`.',
      contentType: 'image/jpeg',
      orContentType: ['image/png', 'application/pdf'],
      headers: [...fileHeaderNames, 'Content-Digest'],
    },
    206: {
      description: 'The requested `Range`, with the SHA-256 of the whole file in `Repr-Digest`.',
      contentType: 'image/jpeg',
      orContentType: ['image/png', 'application/pdf'],
      headers: [...fileHeaderNames, 'Repr-Digest', 'Content-Range'],
    },
    304: { description: 'The file matches `If-None-Match`.', headers: fileHeaderNames },
  },
  problems: resultProblems,
  async handle({ params }, call) {
    const job = await resultOf(await seenJob(params.id, call), call);
    if (!job.resultFile) throw new ServiceError('not-found', 'The result of this job has no files.');
    return await sendResultFile(job, call, { part: params.name });
  },
});

const getPlan = defineOperation({
  summary: 'The complete plan of a held or released job.',
  id: 'jobs.getPlan',
  route: 'GET /jobs/{id}/plan',
  scope: anyScope,
  request: { params: JobParams },
  answers: {
    200: {
      description: 'The plan.',
      schema: z.object({
        plan: z.unknown().describe('As the run continues with it; its format depends on the job kind.'),
        changes: z.array(PlannedChanges).describe('The changes by outcome and reason, with names.'),
        heldAt: z.iso.datetime().describe('When the job was held.'),
        released: Release.nullable().describe('Who released it; null while it is held.'),
      }),
      example: {
        plan: { update: [], create: [{ name: 'Creek Gate', type: 'community', parent: 'Dubai' }] },
        changes: [
          {
            outcome: 'created',
            reason: 'New in the CRM: community.',
            items: [{ key: '4711', name: 'Creek Gate, Dubai' }],
          },
        ],
        heldAt: '2026-01-31T03:00:09.512Z',
        released: null,
      },
    },
  },
  problems: { 'not-found': 'Or the job was never held.' },
  async handle({ params }, call) {
    const job = await seenJob(params.id, call);
    const held = await call.services.records.plan(job.id);
    if (!held) throw new ServiceError('not-found', 'The job has no plan: it was not held.');
    const parts = Readable.from(call.services.records.planParts(job.id, held), { objectMode: false });
    return ok(parts, { 'content-type': 'application/json; charset=utf-8' });
  },
});

const explain = defineOperation({
  summary: 'Why a job waits, and estimates of its start and end.',
  id: 'jobs.explain',
  route: 'GET /jobs/{id}/explain',
  scope: anyScope,
  request: { params: JobParams },
  answers: { 200: { description: 'The reason and the estimates.', schema: Explanation } },
  async handle({ params }, call) {
    return ok(await explainJob(await seenJob(params.id, call), call.services));
  },
});

export default [getJob, getResult, getResultFile, getPlan, explain];
