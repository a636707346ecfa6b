/** Checks of a PDF request beyond its schema: brand, listing rules, photos; and the CRM ids of its listings. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { findBrands } from '../../../core/domain/brands/brands.ts';
import { permitsOf } from '../../../core/domain/permits/permit-source.ts';
import { sandboxRules } from '../../../core/egress/config.ts';
import { createGuardedFetch } from '../../../core/egress/guarded-fetch.ts';
import { toJobInput } from '../../../core/jobs/repository/inputs.ts';
import { templateFolder } from '../../../core/runtime/discover.ts';
import { invalidInput } from '../../../core/runtime/errors.ts';
import { type Finding, strictErrors } from '../../../workers/pdf/lint/finding.ts';
import { lintInTurns } from '../../../workers/pdf/lint/lint-listings.ts';
import { withOfficialPermits } from '../../../workers/pdf/lint/official-permits.ts';
import { unavailablePhotos } from '../../../workers/pdf/lint/photo-rules.ts';
import { Listing, ListingList } from '../../../workers/pdf/listing.ts';
import { PermitBrand } from '../../../workers/pdf/vocabulary/permits.ts';
import { unknownMembers } from '../../http/input-schema.ts';
import type { Call } from '../../http/operation.ts';
import { toPointer } from '../../http/parse-input.ts';
import type { ApiServices } from '../../services.ts';

/** Why a job has no file. */
export const pdfProblems = {
  gone: 'The stored listings or the file have expired.',
  'photo-unavailable': 'A photo cannot be loaded, and `onError` is `fail`.',
  'browser-failed': 'The browser that prints failed.',
  'invalid-input': 'The input is invalid; also, with `strict`, when a listing differs from its permit.',
  'page-contract-broken': 'The PDF has the wrong number of pages.',
} as const;

export interface ListingRequest {
  list: readonly Listing[];
  onError: 'placeholder' | 'fail';
  strict: boolean;
  brand?: string | undefined;
}

/**
 * The checks before a job starts, without network access.
 * @throws ServiceError invalid-input for an unknown brand, and with `strict` for errors in listings
 */
export async function acceptListings({ list, strict, brand }: ListingRequest, { services, request }: Call) {
  await checkBrand(brand, services.config);
  const unknown = unknownFields(request.body, strict, services.config);
  if (strict)
    rejectErrors([...unknown, ...(await lintInTurns(list)).filter(finding => !isLookedUp(finding, services))]);
  const listings = withCrmIds(list, request.body, services.config.LISTING_CRM_ID_FIELD);
  const input = toJobInput(
    listings,
    listings.map(listing => listing.reference_number),
  );
  const warnings = unknown.length > 0 ? cutWarnings(unknown) : undefined;
  return { payload: { input: input.sha256, warnings }, inputs: [input] };
}

/** For all permits of a request. */
const lookUpMs = 6_000;

/**
 * The full check for `validateOnly`; requests the first bytes of the photos, and looks permits up in the listing portal, which
 * takes up to a few seconds.
 * @throws ServiceError invalid-input with the faults that would fail the job
 */
export async function checkListings(
  { list, strict, brand, onError }: ListingRequest,
  { services, request, signal }: Call,
): Promise<Finding[]> {
  const file = await checkBrand(brand, services.config);
  const { EGRESS_ALLOW: rules } = services.config;
  const allow = rules.length > 0 ? rules : sandboxRules(services.config);
  const fetcher = createGuardedFetch({ allow, logger: services.logger });
  const unavailable = await unavailablePhotos(list, fetcher, signal).finally(() => fetcher.close());
  const permitBrand = PermitBrand.parse(JSON.parse(await readFile(file, 'utf8')));
  const permits = permitsOf(services.systems);
  const official = await withOfficialPermits(list, permitBrand, permits, { signal, totalMs: lookUpMs });
  const unknown = unknownFields(request.body, strict, services.config);
  const findings = [...unknown, ...(await lintInTurns(official.listings)), ...official.findings, ...unavailable];
  if (strict) rejectErrors(findings);
  const faults = findings.filter(({ code }) => code === 'photo-address' || code === 'photo-dead').map(faultOf);
  if (onError === 'fail' && faults.length > 0) throw invalidInput(faults, 'Some photos are not available.');
  return findings;
}

/** @returns the file of the brand @throws ServiceError invalid-input with the known names */
async function checkBrand(brand: string | undefined, config: ApiServices['config']): Promise<URL> {
  if (brand === undefined) return new URL('brand.json', templateFolder);
  const files = await findBrands(config);
  const file = files.get(brand);
  if (file) return file;
  const brands = [...files.keys()];
  const known = brands.length === 0 ? 'there is only the company’s own brand' : `known are ${brands.join(', ')}`;
  throw invalidInput(
    [{ pointer: '/brand', detail: `no brand has this name; ${known}` }],
    `The brand ${brand} does not exist.`,
  );
}

/** Number of warnings about unknown fields on a job. */
const maxWarnings = 50;

function cutWarnings(unknown: readonly Finding[]): Finding[] {
  const more = unknown.length - maxWarnings;
  const detail = `${more} more unknown ${more === 1 ? 'field is' : 'fields are'} not listed here; validateOnly lists all.`;
  const cut: Finding[] = more > 0 ? [{ code: 'unknown-field', severity: 'warning', pointer: '/list', detail }] : [];
  return [...unknown.slice(0, maxWarnings), ...cut];
}

function unknownFields(body: unknown, strict: boolean, config: ApiServices['config']): Finding[] {
  return unknownMembers(ListingList, body)
    .filter(({ path, isIgnored }) => isIgnored && path.at(-1) !== config.LISTING_CRM_ID_FIELD)
    .map(({ path, detail }) => {
      const severity = strict ? 'error' : 'warning';
      return { code: 'unknown-field', severity, pointer: toPointer(path), detail };
    });
}

/** The job may find the project number with the permit; it fails when it does not. */
const isLookedUp = ({ code }: Finding, { systems }: Pick<ApiServices, 'systems'>): boolean =>
  code === 'project-number-missing' && permitsOf(systems).isConfigured;

function rejectErrors(findings: readonly Finding[]): void {
  const errors = strictErrors(findings);
  if (errors.length === 0) return;
  const detail = 'The listings have errors; correct them, or send the request without `strict`.';
  throw invalidInput(errors.map(faultOf), detail);
}

const faultOf = ({ pointer, detail }: Finding) => ({ pointer, detail });

const idsSchema = (field: string) => z.object({ list: z.array(z.object({ [field]: Listing.shape.crm_id.catch('') })) });

/** By field name (LISTING_CRM_ID_FIELD): building a schema takes longer than using it. */
const schemas = new Map<string, ReturnType<typeof idsSchema>>();

/** Fills empty `crm_id`s from the field name that the portal uses. */
function withCrmIds(list: readonly Listing[], body: unknown, field: string): Listing[] {
  const schema = schemas.get(field) ?? idsSchema(field);
  schemas.set(field, schema);
  const ids = schema.parse(body);
  return list.map((listing, index) => ({
    ...listing,
    crm_id: listing.crm_id || (ids.list[index]?.[field] ?? ''),
  }));
}
