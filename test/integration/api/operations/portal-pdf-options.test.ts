/** What a request for a brochure may choose besides its listings, checked before anything is enqueued. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pdfJob from '../../../../workers/pdf/contract.ts';
import type { ApiClient } from '../../../support/api-client.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';

let service: TestService;
let client: ApiClient;

beforeAll(async () => {
  service = await startTestService('pdf-options', { contracts: new Map([['pdf', pdfJob]]) });
  client = await service.client(['pdf']);
});
afterAll(() => service?.close());

const listing = { reference_number: 'REF-1', title_en: 'Villa with a garden' };
const ask = (operation: string, options: object) =>
  client.request('POST', operation, { body: { list: [listing], ...options } });

describe.each(['/apps/portal/v1/pdf', '/apps/portal/v1/pdf-new'])('%s', operation => {
  it('takes a cover, a language and a brand', async () => {
    const { status } = await ask(operation, { cover: true, language: 'both', brand: 'northline' });
    expect(status).toBe(202);
  });

  it.each([{ validateOnly: true }, {}])(
    'refuses a brand it does not know, and names those it does (%j)',
    async also => {
      const { status, body } = await ask(operation, { brand: 'Northline', ...also });
      expect(status).toBe(422);
      expect(body).toMatchObject({
        errors: [{ pointer: '/brand', detail: 'no brand has this name; known are northline' }],
      });
    },
  );

  it.each([
    [{ language: 'fr' }, '/language'],
    [{ cover: 'perhaps' }, '/cover'],
    [{ brand: '../brand' }, '/brand'],
  ])('refuses %j and points at it', async (options, pointer) => {
    const { status, body } = await ask(operation, options);
    expect(status).toBe(422);
    expect(body).toMatchObject({ errors: [expect.objectContaining({ pointer })] });
  });
});
