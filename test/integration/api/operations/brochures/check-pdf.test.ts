/** validateOnly and strict of PDF requests. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pdfJob from '../../../../../workers/pdf/contract.ts';
import type { ApiClient } from '../../../../support/api-client.ts';
import { type PhotoServer, startPhotoServer } from '../../../../support/photo-server.ts';
import { startTestService, type TestService } from '../../../../support/test-service.ts';

let service: TestService;
let client: ApiClient;
let photos: PhotoServer;

beforeAll(async () => {
  photos = await startPhotoServer();
  service = await startTestService('check-pdf', {
    contracts: new Map([[pdfJob.kind, pdfJob]]),
    env: { EGRESS_ALLOW: `127.0.0.1:${photos.port}`, LISTING_CRM_ID_FIELD: 'portal_crm_id' },
  });
  client = await service.client(['pdf']);
});
afterAll(async () => {
  await service?.close();
  await photos?.close();
});

const good = () => ({
  reference_number: 'R-1',
  title_en: 'Two bedrooms over the marina',
  description_en: 'A corner apartment on a high floor.',
  permit_number: '7116777484',
  permit_url: 'https://trakheesi.dubailand.gov.ae/rev/madmoun/listing/validation?khevJujtDig=SAMPLE1',
  purpose: 'Sale',
  price: '2450000',
  city: 'Dubai',
  size: '1312',
  photo: [photos.photo(1)],
  agent: { name: 'Layla', brn_number: '54821', phone: '+971501234501' },
});

const ask = (list: object[], more: object = {}) =>
  client.request('POST', '/apps/portal/v1/pdf-new', { body: { list, ...more } });
const check = (list: object[], more: object = {}) => ask(list, { validateOnly: true, ...more });

describe('validateOnly', () => {
  it('finds nothing in a correct listing', async () =>
    expect(await check([good()])).toMatchObject({ status: 200, body: { valid: true, warnings: [] } }));

  it('reports missing and implausible values with severity, pointer and remediation', async () => {
    const { status, body } = await check([
      good(),
      { ...good(), reference_number: 'R-2', permit_number: '', size: 'large' },
    ]);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        valid: true,
        warnings: [
          {
            severity: 'error',
            code: 'permit-missing',
            pointer: '/list/1/permit_number',
            detail: 'An advert in Dubai must show its Trakheesi permit number; put it here.',
          },
          {
            severity: 'warning',
            code: 'size-form',
            pointer: '/list/1/size',
            detail: 'The size is not a number of square feet or m² and is printed unchanged; write it as 1312.',
          },
        ],
      },
    });
  });

  it('requests the photos and reports unavailable ones with the reason', async () => {
    const dead = [
      [`${photos.origin}/none/1.jpg`, 'the server answered 404'],
      [`${photos.origin}/text/1.jpg`, 'the file is not a photo'],
      ['http://169.254.169.254/latest/1.jpg', 'its server is not on the public internet'],
      [`${photos.origin}/slow/1.jpg`, 'longer than'],
    ] as const;
    const startedAt = performance.now();
    const { body } = await check([
      { ...good(), photo: [photos.photo(1), ...dead.map(([url]) => url), `${photos.origin}/huge/1.jpg`] },
    ]);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(body).toMatchObject({
      warnings: dead.map(([, why], index) => ({
        code: 'photo-dead',
        severity: 'warning',
        pointer: `/list/0/photo/${index + 1}`,
        detail: expect.stringContaining(why),
      })),
    });
  });

  it('starts no job and stores nothing', async () => {
    const jobs = async () => (await service.database.execute('select count(*)::int as jobs from job')).rows;
    const before = await jobs();
    await check([good()]);
    expect(await jobs()).toEqual(before);
  });
});

describe('an unknown field of a listing', () => {
  const misspelt = () => ({ ...good(), prcie: '1', agent: { ...good().agent, brn: '54821', colour: 'red' } });
  const findings = [
    { pointer: '/list/0/agent/brn', detail: expect.stringContaining('brn_number') },
    { pointer: '/list/0/agent/colour', detail: expect.stringContaining('known are id, name, email') },
    { pointer: '/list/0/prcie', detail: 'is unknown; did you mean price?' },
  ];

  it('is a warning with a suggestion', async () => {
    const warnings = findings.map(finding => ({ ...finding, code: 'unknown-field', severity: 'warning' }));
    expect(await check([misspelt()])).toMatchObject({ status: 200, body: { valid: true, warnings } });
  });

  it('is a warning of the job, too', async () => {
    const { body } = await ask([misspelt()]);
    const { rows } = await service.database.pool.query('select payload from job where id = $1', [Object(body).id]);
    expect(rows[0].payload.warnings).toMatchObject(findings.map(({ pointer }) => ({ pointer, code: 'unknown-field' })));
  });

  it('is an error with strict', async () =>
    expect(await ask([misspelt()], { strict: true })).toMatchObject({ status: 422, body: { errors: findings } }));

  it('is not the field of LISTING_CRM_ID_FIELD', async () =>
    expect(await check([{ ...good(), portal_crm_id: '7' }])).toMatchObject({ body: { warnings: [] } }));
});

describe('strict', () => {
  const offPlan = { completion_status: 'off_plan', project_number: '2871' };

  it.each([{}, { validateOnly: true }])('returns 422 with the errors of a listing (%j)', async more => {
    const { status, body } = await ask([{ ...good(), permit_number: '', price: '0', size: 'large' }], {
      strict: true,
      ...more,
    });
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/list/0/permit_number' }, { pointer: '/list/0/price' }] },
    });
  });

  it.each([
    ['an expired permit', { permit_expires_at: '2020-01-31' }, '/list/0/permit_expires_at'],
    ['a permit number of 9 digits', { permit_number: '711677748' }, '/list/0/permit_number'],
    ['a second licence', { description_en: 'RERA ORN: 12345' }, '/list/0/description_en'],
    ['an off-plan project without escrow account', offPlan, '/list/0/escrow_account'],
  ])('makes %s an error', async (_, change, pointer) => {
    const body = { errors: [{ pointer }] };
    expect(await ask([{ ...good(), ...change }], { strict: true })).toMatchObject({ status: 422, body });
    expect(await check([{ ...good(), ...change }])).toMatchObject({
      status: 200,
      body: { warnings: [{ pointer, severity: 'warning' }] },
    });
  });

  it('needs no permit for a draft', async () => {
    const draft = { ...good(), permit_number: '', permit_url: '', draft: true };
    expect(await check([draft], { strict: true })).toMatchObject({ status: 200, body: { warnings: [] } });
  });

  it('accepts a listing with warnings only', async () =>
    expect(await check([{ ...good(), size: 'large' }], { strict: true })).toMatchObject({ status: 200 }));
});

it.each([{}, { validateOnly: true }])('rejects `deliver` with 503 while no mail server is set: %j', async more => {
  const sender = await service.client(['pdf', 'pdf:mail']);
  const body = { list: [good()], deliver: { email: { to: 'buyer@example.com' } }, ...more };
  const reply = await sender.request('POST', '/apps/portal/v1/pdf', { body });
  expect([reply.status, reply.body]).toMatchObject([
    503,
    { code: 'system-not-configured', detail: expect.stringContaining('SMTP_URL and MAIL_FROM') },
  ]);
});
