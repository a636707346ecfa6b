/** Reference data and images of the property-project system. */
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { referenceSchemas } from '../../../../../core/integrations/property-projects/reference.ts';
import type { PropertyProjects } from '../../../../../core/integrations/property-projects/system.ts';
import propertyProjects, {
  oneRow,
  unitsOf,
  wholeCollection,
} from '../../../../../core/integrations/property-projects/system.ts';
import { referencePaths } from '../../../../../core/integrations/property-projects/wire.ts';
import { once, openClient, useVendor, vendorContext } from '../../../../support/vendor.ts';

const vendor = await useVendor();
let projects: PropertyProjects;

beforeEach(() => {
  projects = openClient(propertyProjects, { PROPERTY_PROJECTS_URL: vendor.url, PROPERTY_PROJECTS_API_KEY: 'key' });
});

const page = (...data: object[]) => ({ headers: { etag: '"1"' }, json: { data, meta: { total: 250 } } });

describe('reference data', () => {
  it('is read page by page, with its entity tag and total', async () => {
    vendor.on('GET /emirates', page({ id: 1, name: 'Dubai', name_ar: 'دبي' }));
    expect(await once(() => projects.referencePage(wholeCollection('emirates'), 2, {}))).toEqual({
      etag: '"1"',
      total: 250,
      items: [{ id: '1', name: 'Dubai', nameAr: 'دبي' }],
    });
    expect(vendor.received[0]?.query).toEqual({ page: '2', limit: '100' });
    expect(vendor.received[0]?.headers).toMatchObject({ authorization: 'Bearer key' });
    expect(vendor.received[0]?.headers).not.toHaveProperty('if-none-match');
  });

  it('is undefined while the cached page is current', async () => {
    vendor.on('GET /emirates', { status: 304 });
    const query = wholeCollection('emirates');
    expect(await once(() => projects.referencePage(query, 1, { etag: '"1"' }))).toBeUndefined();
    expect(vendor.received[0]?.headers['if-none-match']).toBe('"1"');
  });

  it('of one row has the total 1 and needs no page', async () => {
    vendor.on('GET /unit-types/a%2Fb', { json: { data: { id: 301, name: 'Apartment' } } });
    expect(await once(() => projects.referencePage(oneRow('unitTypes', 'a/b'), 1, {}))).toEqual({
      etag: undefined,
      total: 1,
      items: [{ id: '301', name: 'Apartment', nameAr: null }],
    });
    expect(vendor.received[0]?.query).toEqual({});
    vendor.on('GET /unit-types/a%2Fb', { status: 304 });
    expect(await once(() => projects.referencePage(oneRow('unitTypes', 'a/b'), 1, {}))).toBeUndefined();
  });

  it('of a project’s units is read below the project', async () => {
    vendor.on('GET /projects/a%2Fb/units', page());
    await once(() => projects.referencePage(unitsOf('a/b'), 1, {}));
    expect(vendor.received[0]?.query).toEqual({ page: '1', limit: '100' });
  });

  it('is an error of the system with the status 404 when there is none', async () => {
    vendor.on('GET /emirates/7', { status: 404 });
    const read = once(() => projects.referencePage(oneRow('emirates', '7'), 1, {}));
    await expect(read).rejects.toMatchObject({ failure: { status: 404 } });
  });

  it('fails after the time limit of its caller', async () => {
    vendor.on('GET /emirates', { hang: true });
    const read = once(() => projects.referencePage(wholeCollection('emirates'), 1, { timeoutMs: 20 }));
    await expect(read).rejects.toMatchObject({ code: 'upstream-timeout' });
  });

  it('is read from the paths of the system', () =>
    expect(referencePaths).toMatchObject({ unitTypes: '/unit-types', unitLayouts: '/unit-layouts' }));
});

describe('rows', () => {
  const read = async (name: Parameters<typeof wholeCollection>[0], row: object) => {
    vendor.on(`GET ${referencePaths[name]}`, page(row));
    return (await once(() => projects.referencePage(wholeCollection(name), 1, {})))?.items[0];
  };
  const named = { id: 1, name: 'Name' };

  it.each([
    [
      { lat: '25.07', lng: 55.13 },
      { lat: 25.07, lng: 55.13 },
    ],
    [
      { lat: 0, lng: 0 },
      { lat: 0, lng: 0 },
    ],
    [{ lat: 25.07 }, null],
    [{ lng: 55.13 }, null],
    [{ lat: null, lng: 55.13 }, null],
    [{ lat: 25.07, lng: null }, null],
  ])('of a district with %j have the coordinates %j', async (place, coordinates) =>
    expect(await read('districts', { ...named, ...place, emirate_id: 1 })).toEqual({
      id: '1',
      name: 'Name',
      nameAr: null,
      emirateId: '1',
      coordinates,
    }),
  );

  it('of a project have its references', async () =>
    expect(
      await read('projects', {
        ...named,
        developer_id: 5,
        status: 'off_plan',
        starting_price: 1_450_000,
        currency: 'AED',
        amenity_ids: [201],
        unit_type_ids: null,
        completion_date: '2028-06',
      }),
    ).toMatchObject({
      developerId: '5',
      emirateId: null,
      startingPrice: '1450000.00',
      amenityIds: ['201'],
      unitTypeIds: [],
      completionDate: '2028-06',
      description: null,
      updatedAt: null,
    }));

  it('of a developer have its addresses', async () =>
    expect(await read('developers', { ...named, website: ' https://x.example ', logo_url: '' })).toEqual({
      id: '1',
      name: 'Name',
      nameAr: null,
      website: 'https://x.example',
      logoUrl: null,
    }));

  it('of a unit layout have numbers', async () =>
    expect(await read('unitLayouts', { ...named, unit_type_id: 301, bedrooms: '2', size_sqft: '1240' })).toEqual({
      id: '1',
      name: 'Name',
      nameAr: null,
      unitTypeId: '301',
      bedrooms: 2,
      bathrooms: null,
      sizeSqft: 1_240,
    }));

  it('of a unit have its project', async () => {
    vendor.on('GET /projects/7001/units', page({ id: 9, project_id: 7001, number: '1204', floor: '12', price: '' }));
    const units = await once(() => projects.referencePage(unitsOf('7001'), 1, {}));
    expect(units?.items[0]).toMatchObject({ id: '9', projectId: '7001', number: '1204', floor: 12, price: null });
  });

  it('without a name are left out and reported', async () => {
    for (const record of ['emirates', 'amenities', 'finishes'] as const)
      await withCallContext({ priority: 'interactive' }, async ({ badRows }) => {
        expect(await read(record, { id: 1 })).toBeUndefined();
        expect([...badRows.values()]).toEqual([
          expect.objectContaining({ system: 'property-projects', record, id: '1', field: 'name' }),
        ]);
      });
  });

  it('have examples that the schemas accept', () => {
    const Meta = z.object({ id: z.string(), examples: z.array(z.unknown()).length(1) });
    for (const schema of Object.values(referenceSchemas)) {
      const { examples } = Meta.parse(schema.meta());
      expect(schema.safeParse(examples[0]).success).toBe(true);
    }
  });
});

describe('an image', () => {
  const upload = () =>
    once(() => projects.uploadImage({ bytes: Buffer.from('bytes'), contentType: 'image/png', fileName: 'a.png' }));

  it('is uploaded with its name and type', async () => {
    vendor.on('POST /images', { json: { url: 'https://x.example/1.png' } });
    expect(await upload()).toBe('https://x.example/1.png');
    const [received] = vendor.received;
    expect(received?.headers['content-type']).toMatch(/^multipart\/form-data/);
    expect(received?.body).toMatch(/name="file"; filename="a.png"\r\nContent-Type: image\/png\r\n\r\nbytes\r\n/);
  });

  it.each([
    [413, 'The image is too large for the property-project system, even after it was reduced.', 'is too large'],
    [415, 'The property-project system rejected this image.', 'is rejected'],
    [422, 'The property-project system rejected this image.', 'is rejected'],
  ])('rejected with %i is invalid input', async (status, message, detail) => {
    vendor.on('POST /images', { status, json: { error: {} } });
    await expect(upload()).rejects.toMatchObject({
      code: 'invalid-input',
      message,
      faults: [{ pointer: '/file', detail }],
      cause: { failure: { status } },
    });
  });

  it('fails with the system’s error otherwise', async () => {
    vendor.on('POST /images', { status: 400 });
    await expect(upload()).rejects.toMatchObject({ code: 'upstream-failed', failure: { status: 400 } });
  });

  it('has a web address', async () => {
    vendor.on('POST /images', { json: { url: 'ftp://x.example/1.png' } });
    await expect(upload()).rejects.toMatchObject({ code: 'upstream-failed' });
  });
});

it('the probe reads the emirates', async () => {
  vendor.on('GET /emirates', page());
  await once(() => propertyProjects.probe(vendorContext({ PROPERTY_PROJECTS_URL: vendor.url })));
  expect(vendor.calls()).toEqual(['GET /emirates']);
});

it('the sandbox serves the system with its own key', async () => {
  vendor.on('GET /property-projects/emirates', page());
  const served = openClient(propertyProjects, {}, { sandboxUrl: vendor.url });
  await once(() => served.referencePage(wholeCollection('emirates'), 1, {}));
  expect([projects.sandbox, served.sandbox]).toEqual([false, true]);
  expect(vendor.received[0]?.headers.authorization).toBe('Bearer sandbox');
  expect(served.config).toMatchObject({
    PROPERTY_PROJECTS_FRESH_SECONDS: 300,
    PROPERTY_PROJECTS_IMAGE_MAX_MB: 5,
  });
});
