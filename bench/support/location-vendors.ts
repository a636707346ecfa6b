/** The listing portal and the CRM on loopback with many locations: only the calls of a location sync, without limits. */
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import type { Location } from '../../core/integrations/listing-portal/location.ts';
import { groupBy } from '../../core/values/group-by.ts';
import { generateLocations } from './locations.ts';

/** The sandbox's names of the fields. */
const fields = {
  CRM_LOCATION_ENTITY_TYPE: '1222',
  CRM_LOCATION_TYPE_FIELD: 'ufCrm8Type',
  CRM_LOCATION_PARENT_FIELD: 'ufCrm8Parent',
  CRM_LOCATION_PORTAL_ID_FIELD: 'ufCrm8PortalId',
  CRM_LOCATION_ARABIC_FIELD: 'ufCrm8NameAr',
};
const updatedTime = '2026-01-01T00:00:00+00:00';
const pageRows = 50;

const Batch = z.object({ cmd: z.record(z.string(), z.string()) });

interface LocationVendors {
  /** Settings of the service. */
  env: Record<string, string>;
  /** Answered requests of the CRM. */
  crmRequests: () => number;
  /** Locations that the CRM has, and those that it has twice. */
  crmLocations: () => { all: number; twice: number };
  close(): Promise<void>;
}

/** The portal has `count` locations; the CRM has the cities of them. */
export async function startLocationVendors(count: number): Promise<LocationVendors> {
  const locations = generateLocations(count);
  const search = portalSearch(locations);
  const crm = createCrm(locations.filter(({ type }) => type === 'city'));
  let crmRequests = 0;
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://vendor');
    response.setHeader('content-type', 'application/json');
    if (url.pathname.startsWith('/crm/')) {
      crmRequests += 1;
      const isBatch = url.pathname.endsWith('/batch');
      response.end(JSON.stringify(isBatch ? crm.batch(Batch.parse(await json(request)).cmd) : crm.user));
    } else if (url.pathname.endsWith('/token')) response.end('{"accessToken":"bench","expiresIn":3600}');
    else response.end(JSON.stringify(search(url.searchParams, isArabic(request))));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the vendors have no TCP port');
  const origin = `http://127.0.0.1:${address.port}`;
  return {
    env: {
      ...fields,
      CRM_URL: `${origin}/crm/rest`,
      LISTING_PORTAL_URL: `${origin}/portal`,
      LISTING_PORTAL_API_KEY: 'bench',
      LISTING_PORTAL_API_SECRET: 'bench',
    },
    crmRequests: () => crmRequests,
    crmLocations: crm.count,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

const isArabic = ({ headers }: IncomingMessage): boolean => headers['accept-language'] === 'ar';

/** Answers searches for a city; all others find nothing. */
function portalSearch(locations: readonly Location[]) {
  const found = groupBy(locations, ({ places, type }) => `${places[0]?.name} ${type.toUpperCase()}`);
  const counts = groupBy(locations, ({ places }) => places[0]?.name);
  return (query: URLSearchParams, arabic: boolean) => {
    const [term, type] = [query.get('search') ?? '', query.get('filter[type]')];
    const [page, perPage] = [Number(query.get('page')), Number(query.get('perPage'))];
    const rows = type === null ? [] : (found.get(`${term} ${type}`) ?? []);
    const total = type === null ? (counts.get(term)?.length ?? 0) : rows.length;
    const nameOf = ({ name, nameAr }: Location['places'][number]) => (arabic ? (nameAr ?? name) : name);
    return {
      data: rows.slice((page - 1) * perPage, page * perPage).map(location => ({
        id: location.id,
        type: location.type.toUpperCase(),
        name: nameOf(location),
        tree: location.places.map(place => ({ id: place.id, type: place.type.toUpperCase(), name: nameOf(place) })),
        coordinates: location.coordinates,
      })),
      pagination: { total, page, totalPages: Math.ceil(total / perPage) },
    };
  };
}

type Row = Record<string, unknown> & { id: number };

/** The id of a row is its number, from 1. */
function createCrm(cities: readonly Location[]) {
  const rows: Row[] = [];
  const portalIds = new Set<unknown>();
  let twice = 0;
  const add = (row: Record<string, unknown>): Row => {
    const added = { id: rows.length + 1, updatedTime, ...row };
    if (portalIds.has(row.ufCrm8PortalId)) twice += 1;
    portalIds.add(row.ufCrm8PortalId);
    rows.push(added);
    return added;
  };
  for (const { id, name } of cities) add({ title: name, ufCrm8Type: 'CITY', ufCrm8PortalId: String(id) });

  return {
    user: { result: [{ ID: '1', NAME: 'Bench', ACTIVE: true }] },
    count: () => ({ all: rows.length, twice }),
    batch(commands: Record<string, string>) {
      const result: Record<string, unknown> = {};
      let last = 0;
      for (const [key, command] of Object.entries(commands)) {
        const query = new URLSearchParams(command.split('?')[1]);
        if (command.startsWith('crm.item.add')) {
          const given = [...query].flatMap(([name, value]) => [[/^fields\[(\w+)\]$/.exec(name)?.[1] ?? '', value]]);
          result[key] = { item: add(Object.fromEntries(given)) };
        } else {
          const after = query.get('filter[>id]') ?? '';
          // A reference to a page that is not full finds no row.
          const from = after.startsWith('$result') ? last : Number(after);
          const items = from === -1 ? [] : rows.slice(from, from + pageRows);
          last = items.length === pageRows ? from + pageRows : -1;
          result[key] = { items };
        }
      }
      const totals = 'page0' in commands ? { page0: rows.length } : [];
      return { result: { result, result_error: [], result_total: totals, result_time: [] }, time: {} };
    },
  };
}
