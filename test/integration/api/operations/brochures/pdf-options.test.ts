/** Options of PDF requests: cover, language and brand; invalid values return 422. */
import { describe, expect, it } from 'vitest';
import pdfJob from '../../../../../workers/pdf/contract.ts';
import { useClient, useService } from '../../../../support/test-service.ts';

const service = useService('pdf-options', () => ({ contracts: new Map([['pdf', pdfJob]]) }));
const client = useClient(service, ['pdf']);

const listing = { reference_number: 'REF-1', title_en: 'Villa with a garden' };
const ask = (operation: string, options: object) =>
  client.request('POST', operation, { body: { list: [listing], ...options } });

describe.each(['/apps/portal/v1/pdf', '/apps/portal/v1/pdf-new'])('%s', operation => {
  it('accepts a cover, a language and a brand', async () => {
    const { status } = await ask(operation, { cover: true, language: 'both', brand: 'northline' });
    expect(status).toBe(202);
    expect((await ask(operation, { cover: { for: 'Mr Al Suwaidi' } })).status).toBe(202);
  });

  it.each([
    ['quality', 'best', 'must be one of screen, print; it was "best"'],
    ['cropMarks', 'yes', 'must be true or false; it was "yes"'],
    ['pages', 1, 'must be one of fixed, auto; it was 1'],
    ['gallery', 'all', 'must be one of standard, full; it was "all"'],
  ])('names the values of %s for %j', async (option, value, detail) => {
    const { status, body } = await ask(operation, { [option]: value });
    expect(status).toBe(422);
    expect(body).toMatchObject({ errors: [{ pointer: `/${option}`, detail }] });
  });

  it.each([{ validateOnly: true }, {}])('returns 422 with the known brands for an unknown brand (%j)', async more => {
    const { status, body } = await ask(operation, { brand: 'Northline', ...more });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      errors: [{ pointer: '/brand', detail: 'no brand has this name; known are northline' }],
    });
  });

  it.each([
    [{ language: 'fr' }, '/language'],
    [{ cover: 'perhaps' }, '/cover'],
    [{ cover: { for: 'x'.repeat(81) } }, '/cover/for'],
    [{ cover: { to: 'Mr Al Suwaidi' } }, '/cover/to'],
    [{ brand: '../../brand' }, '/brand'],
  ])('returns 422 with a pointer for %j', async (options, pointer) => {
    const { status, body } = await ask(operation, options);
    expect(status).toBe(422);
    expect(body).toMatchObject({ errors: [expect.objectContaining({ pointer })] });
  });
});
