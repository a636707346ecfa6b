/** Clicks on the link in the mail that sent the result of a job. */
import { z } from 'zod';
import { noClicks } from '../../../core/domain/links/link.ts';
import { kindOfJobId, mailJobId } from '../../../core/jobs/contract.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import mailJob from '../../../workers/pdf-mail/contract.ts';
import { anyScope, defineOperation, ok } from '../../http/operation.ts';
import { JobParams, seenJob } from '../../jobs/job-access.ts';

export default defineOperation({
  summary: 'Count the clicks on the link in the mail of a job.',
  id: 'jobs.getMailClicks',
  route: 'GET /jobs/{id}/mail-clicks',
  scope: anyScope,
  request: { params: JobParams },
  answers: {
    200: {
      description: 'The clicks of all recipients together.',
      schema: z.object({
        total: z.int().describe('Clicks by people.'),
        bots: z.int().describe('Requests of bots, such as scanners of mail servers.'),
        previews: z.int().describe('Link previews of chat apps.'),
        prefetches: z.int().describe('Prefetches of browsers.'),
      }),
      example: { total: 3, bots: 1, previews: 0, prefetches: 0 },
    },
  },
  problems: { 'not-found': 'Or the mail has not been sent, or the request had no `deliver`.' },
  async handle({ params: { id } }, call) {
    const mail = await seenJob(kindOfJobId(id) === mailJob.kind ? id : mailJobId(id), call);
    const { data: result } = mailJob.result.safeParse(mail.result);
    if (!result) throw new ServiceError('not-found', 'The mail of this job has not been sent.');
    const clicks = (await call.services.links.clicks([result.link.id])).get(result.link.id) ?? noClicks;
    const { scans: _, ...shown } = clicks;
    return ok(shown);
  },
});
