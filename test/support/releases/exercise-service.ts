/** Uses the service so that every table has rows, and every kind of job has run once and is waiting once. */
import { z } from 'zod';
import type { Sandbox } from '../sandbox.ts';

export interface Service {
  /** URL with the base path. */
  base: string;
  token: string;
}

/** Ids and data that a later version must still find. */
export const ReleaseData = z.object({
  previewJob: z.string().describe('Succeeded; its file is recorded.'),
  pdfJob: z.string().describe('Succeeded; its file is not recorded.'),
  failedJob: z.string(),
  heldJob: z.string(),
  link: z.object({ id: z.string(), slug: z.string(), target: z.string() }),
  idempotencyKey: z.string().describe('Key of the request that created the link.'),
  linkBody: z.record(z.string(), z.unknown()),
  callbackSecret: z.string(),
  clientId: z.string(),
});
export type ReleaseData = z.infer<typeof ReleaseData>;

const Id = z.object({ id: z.string() });
const listing = {
  reference_number: 'MP-S-2041',
  title_en: 'Beachfront villa with a pool facing the skyline',
  description_en: 'A villa of five bedrooms on the Palm, with a garden, a pool and a view of the Marina.',
  purpose: 'Sale',
  property_type: 'Villa',
  price: '14750000',
  bedroom: '5',
  bathroom: '6',
  size: '6240',
  city: 'Dubai',
  community: 'Palm Jumeirah',
  permit_number: '7123456789',
  agent: { name: 'Sara Haddad', phone: '+971501234561', email: 'sara@meridianpalm.example', photo: '' },
};
const reason = 'Left the firm on 2026-05-31';
const linkKey = 'release-link';
const link = {
  name: 'Palm launch, Instagram',
  url: 'https://meridianpalm.example/palm?lang=en',
  utm: { source: 'instagram', medium: 'social' },
};

export async function exerciseService(service: Service, sandbox: Sandbox): Promise<ReleaseData> {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  const done = (method: string, path: string, body?: object) => finished(service, method, path, body);

  const previewJob = await done('POST', '/apps/portal/v1/pdf/preview', {
    list: [listing],
    design: 'classic',
    dpi: 24,
  });
  const pdfJob = await done('POST', '/apps/portal/v1/pdf-new', { list: [listing] });
  const failedJob = await done('POST', '/apps/portal/v1/pdf', {
    list: [{ ...listing, photo: ['https://photos.invalid/1.jpg', 'ftp://photos.example/2.jpg'] }],
    onError: 'fail',
    callback: { url: 'https://portal.invalid/callbacks' },
  });

  await done('GET', '/apps/crm/v1/deals/acquire');
  await done('POST', '/apps/crm/v1/locations/acquire', {});
  const firstRead = await done('POST', '/apps/listing-portal/v1/locations/update', {});
  await done('POST', `/jobs/${firstRead}/release`);
  await done('POST', '/apps/crm/v1/locations/sync', { city: 'Ajman' });
  await sandbox.control.data('listing-portal', 'locations', 'empty');
  const heldJob = await done('POST', '/apps/crm/v1/locations/sync', {});
  await sandbox.control.data('listing-portal', 'locations', 'reset');
  await done('POST', '/apps/employees/v1/employees/sync', {});
  await done('DELETE', '/apps/employees/v1/employees?confirm=delete-all-employees');
  await done('POST', '/apps/employees/v1/employees/restore', {});
  await done('POST', '/apps/events/v1/orders/process', {});
  await done('GET', '/apps/portal/v1/user-activity/sync');
  const lead = await createLead(service);
  await done('POST', '/apps/portal/v1/leads/queue', { id: lead, fields: { title: 'Villa on the Palm' } });
  await done('POST', '/apps/crm/v1/users/terminate/directory', { crmId: 257, reason });

  const createdLink = z
    .object({ id: z.string(), slug: z.string(), target: z.string() })
    .parse(await send(service, 'POST', '/apps/links/v1/campaigns', link, { 'idempotency-key': linkKey }));
  await fetch(`${service.base}/r/${createdLink.slug}`, {
    redirect: 'manual',
    headers: { 'user-agent': 'Mozilla/5.0' },
  });
  await send(service, 'POST', `/apps/links/v1/campaigns/${createdLink.id}/report-links`, {});
  await send(service, 'POST', '/apps/telephony/v1/sms/send', {
    to: '+971501234561',
    text: 'Your viewing is at 5.',
  });
  await send(service, 'GET', '/apps/property-projects/v1/emirates');
  await send(service, 'POST', '/schedules/employee-resync/pause', {});
  await send(service, 'POST', '/schedules/locations-acquisition/run', {});
  const client = z
    .object({ clientId: z.string() })
    .parse(await send(service, 'POST', '/oauth/clients', { name: 'Chat bot', scopes: ['leads', 'telephony'] }));
  const { secret } = z.object({ secret: z.string() }).parse(await send(service, 'GET', '/jobs/callback-secret'));

  return {
    previewJob,
    pdfJob,
    failedJob,
    heldJob,
    link: createdLink,
    linkBody: link,
    idempotencyKey: linkKey,
    callbackSecret: secret,
    clientId: client.clientId,
  };
}

/** Submits a job of every kind while no worker runs; returns the ids by description. */
export async function submitWaitingJobs(service: Service): Promise<Record<string, string>> {
  const listed = { list: [{ ...listing, title_en: `Villa seen from ${service.base}` }] };
  const orders: Record<string, [path: string, body?: object]> = {
    pdf: ['/apps/portal/v1/pdf', listed],
    'pdf with every option': [
      '/apps/portal/v1/pdf-new',
      { ...listed, onError: 'fail', maxBytes: 5_000_000, trackLinks: true, cover: true, language: 'both' },
    ],
    'pdf-preview': [
      '/apps/portal/v1/pdf/preview',
      { list: [listing], design: 'new', page: 2, dpi: 30, language: 'ar' },
    ],
    'crm-acquisition': ['/apps/crm/v1/locations/acquire', {}],
    'location-sync': ['/apps/listing-portal/v1/locations/update', {}],
    'location-sync, tried': ['/apps/crm/v1/locations/sync', { city: 'Dubai', dryRun: true }],
    'employee-resync': ['/apps/employees/v1/employees/sync', { dryRun: true }],
    'event-orders': ['/apps/events/v1/orders/process', { since: '2026-01-31T08:00:00Z', dryRun: true }],
    activity: ['/apps/portal/v1/user-activity/sync'],
    leads: ['/apps/portal/v1/leads/update', { leads: [{ id: 1, fields: { title: 'Villa on the Palm' } }] }],
    terminations: ['/apps/crm/v1/users/terminate/property-projects', { crmId: 258, reason }],
  };
  const waiting: Record<string, string> = {};
  for (const [what, [path, body]] of Object.entries(orders)) {
    waiting[what] = Id.parse(await send(service, body ? 'POST' : 'GET', path, body)).id;
  }
  return waiting;
}

async function createLead(service: Service): Promise<number> {
  const body = { name: 'Sara Haddad', phone: '+971501234567', message: 'Please call me.', consent: true };
  const created = await send(service, 'POST', '/apps/crm/v1/leads/landing-page', body);
  return z.object({ id: z.int() }).parse(created).id;
}

/** Starts a job and waits until it has ended or is held. @returns its id */
async function finished(service: Service, method: string, path: string, body?: object): Promise<string> {
  const { id } = Id.parse(await send(service, method, path, body));
  for (;;) {
    const { state } = z.object({ state: z.string() }).parse(await send(service, 'GET', `/jobs/${id}`));
    if (['succeeded', 'failed', 'held'].includes(state)) {
      process.stdout.write(`${method} ${path}: ${state}\n`);
      return id;
    }
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

async function send(
  { base, token }: Service,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const response = await fetch(base + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      prefer: 'respond-async',
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
