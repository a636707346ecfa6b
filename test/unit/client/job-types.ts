/** The types of jobs, results and items: each line must compile. `compile.test.ts` compiles this file. */
import {
  dataOf,
  isProblemOf,
  type Job,
  type JobKind,
  type JobResults,
  jobOf,
  type Methods,
  type PortalClient,
} from '../../../client/src/index.ts';
import type { JobContract } from '../../../core/jobs/contract.ts';
import type activity from '../../../workers/activity/contract.ts';
import type crmAcquisition from '../../../workers/crm-acquisition/contract.ts';
import type employeeResync from '../../../workers/employee-resync/contract.ts';
import type eventOrders from '../../../workers/event-orders/contract.ts';
import type leads from '../../../workers/leads/contract.ts';
import type locationSync from '../../../workers/location-sync/contract.ts';
import type maintenance from '../../../workers/maintenance/contract.ts';
import type pdf from '../../../workers/pdf/contract.ts';
import type pdfMail from '../../../workers/pdf-mail/contract.ts';
import type pdfPreview from '../../../workers/pdf-preview/contract.ts';
import type portalLeads from '../../../workers/portal-leads/contract.ts';
import type terminations from '../../../workers/terminations/contract.ts';

interface Contracts {
  activity: typeof activity;
  'crm-acquisition': typeof crmAcquisition;
  'employee-resync': typeof employeeResync;
  'event-orders': typeof eventOrders;
  leads: typeof leads;
  'location-sync': typeof locationSync;
  maintenance: typeof maintenance;
  pdf: typeof pdf;
  'pdf-mail': typeof pdfMail;
  'pdf-preview': typeof pdfPreview;
  'portal-leads': typeof portalLeads;
  terminations: typeof terminations;
}

/** As in JSON, which has no `undefined`. */
type Json<T> = T extends object ? { [Name in keyof T]: Json<Exclude<T[Name], undefined>> } : T;

type ServiceResults = {
  [K in keyof Contracts]: Contracts[K] extends JobContract<infer _, infer R> ? Json<R['_output']> : never;
};

/** Identical, also in the optional members. */
type Same<A, B> = (<T>() => T extends Json<A> ? 1 : 2) extends <T>() => T extends Json<B> ? 1 : 2 ? true : [A, B];

/** Compiles for `true` only. */
const holds = <T extends true>(..._: T[]): void => undefined;

holds<Same<JobKind, keyof Contracts>>();
holds<{ [K in JobKind]: Same<JobResults[K], ServiceResults[K]> }[JobKind]>();

export function pagesOf(job: Job): number | undefined {
  if (job.kind === 'pdf') return job.result?.pages;
  // @ts-expect-error a preview has no pages
  if (job.kind === 'pdf-preview') return job.result?.pages;
  // @ts-expect-error no such kind
  if (job.kind === 'pdff') return 0;
  // @ts-expect-error only some kinds have rows
  return job.result?.rows.length;
}

export async function calls(client: PortalClient) {
  const { api, submitPdf, waitForJob, retry, cancel, preview, jobs, crm, links, oauth } = client;
  const listing = { reference_number: 'R-1', title_en: 'A home' };
  const job = await waitForJob(await submitPdf([listing]), { onProgress: each => each.result?.pages });
  const pages: number | undefined = job.result?.pages;
  const again: Job<'pdf'> = await retry(await cancel(job));
  const byId: Job = await waitForJob('pdf_1');
  // @ts-expect-error the kind of a job of which only the id is known must be checked
  byId.result?.pages;

  const listed = await dataOf(api.GET('/jobs'));
  const kinds: JobKind[] = listed.items.map(({ kind }) => kind);
  const sync = await jobOf(api.POST('/apps/crm/v1/locations/sync', { body: {} }), 'location-sync');
  const matched: number | undefined = sync.result?.copy.matched;

  for await (const each of jobs.list({ kind: 'pdf', limit: 50 })) kinds.push(each.kind);
  for await (const { name } of oauth.listClients()) name.trim();
  const cursor: string | null = (await jobs.list()).nextCursor;
  // @ts-expect-error misspelt query parameter
  jobs.list({ knd: 'pdf' });
  // @ts-expect-error a number in a query is not text
  jobs.list({ limit: '50' });
  // @ts-expect-error a flag in a query is not text
  crm.acquireDeals({ dryRun: 'true' });
  // @ts-expect-error the id is missing
  jobs.get({});
  // @ts-expect-error not a list
  for await (const each of jobs.get({ id: 'pdf_1' })) kinds.push(each);

  const lead = await crm.createLead(
    { title: 'Viewing', phone: '050 123 4561' },
    { idempotencyKey: 'k', timeoutMs: 5_000 },
  );
  const item = await crm.getItem({ entityTypeId: 1036, id: lead.id });
  // @ts-expect-error misspelt member of the body
  await crm.createLead({ titel: 'Viewing' });
  // The query of this operation repeats its body.
  await links.createCampaign({ name: 'Palm', url: 'https://example.com/', findExisting: true });

  await preview(listing, { design: 'classic', dpi: 200 });
  // @ts-expect-error misspelt option
  await preview(listing, { designs: 'classic' });
  return [pages, again, matched, cursor, item];
}

export function codeOf(error: unknown): string | undefined {
  if (!isProblemOf(error, 'crm.createLead')) return undefined;
  // @ts-expect-error not a problem of this operation
  if (error.document.code === 'gone') return 'gone';
  return error.document.code === 'conflict' ? 'duplicate' : error.code;
}

/** Every list is iterable. */
type Listed<Group> = { [Name in keyof Group]: Group[Name] extends (...input: never[]) => infer A ? A : never };
type WithCursor<Group> = {
  [Name in keyof Group]: Listed<Group>[Name] extends Promise<{ nextCursor: string | null }> ? Name : never;
}[keyof Group];
holds<Same<{ [Group in keyof Methods]: WithCursor<Methods[Group]> }[keyof Methods], never>>();
