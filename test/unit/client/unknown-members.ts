/** Calls with an unknown member: each must not compile. `compile.test.ts` compiles this file. */
import type { PortalClient } from '../../../client/src/index.ts';

const listing = { reference_number: 'R-1', title_en: 'A home' };

export async function calls({ api, submitPdf }: PortalClient) {
  await submitPdf([listing], { language: 'ar' });
  // @ts-expect-error misspelt option
  await submitPdf([listing], { langauge: 'ar' });
  // @ts-expect-error misspelt field of a listing
  await submitPdf([{ ...listing, prcie: '1' }]);
  // @ts-expect-error misspelt field of an agent
  await submitPdf([{ ...listing, agent: { nmae: 'x' } }]);

  await api.POST('/apps/crm/v1/locations/sync', { body: { dryRun: true, scope: { city: 'Dubai' } } });
  // @ts-expect-error misspelt member
  await api.POST('/apps/crm/v1/locations/sync', { body: { dryrun: true } });
  // @ts-expect-error misspelt member of a nested object
  await api.POST('/apps/crm/v1/locations/sync', { body: { dryRun: true, scope: { town: 'Dubai' } } });
  // @ts-expect-error misspelt member of a request of jobs
  await api.POST('/apps/crm/v1/locations/sync', { body: { dryRun: true, callbak: { url: 'https://x.example' } } });

  await api.POST('/apps/portal/v1/leads/update', { body: { id: 1, fields: { title: 'x', utm: { source: 'x' } } } });
  // @ts-expect-error unknown field of a lead
  await api.POST('/apps/portal/v1/leads/update', { body: { id: 1, fields: { ttle: 'x' } } });
  // @ts-expect-error unknown field of a lead in a list
  await api.POST('/apps/portal/v1/leads/update', { body: { leads: [{ id: 1, fields: { utm: { sorce: 'x' } } }] } });

  await api.GET('/jobs', { params: { query: { kind: 'pdf', state: 'failed' } } });
  // @ts-expect-error unknown query parameter
  await api.GET('/jobs', { params: { query: { knd: 'pdf' } } });
  // @ts-expect-error a number in a query is not text
  await api.GET('/jobs', { params: { query: { limit: '50' } } });
  // @ts-expect-error unknown state
  await api.GET('/jobs', { params: { query: { state: 'faild' } } });
}
