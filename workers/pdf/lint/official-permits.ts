/** Completes listings with the regulator's record of their permits. A look-up that fails is a warning, never an error. */
import type { PermitSource } from '../../../core/domain/permits/permit-source.ts';
import { UpstreamError } from '../../../core/integrations/kit/upstream-error.ts';
import type { PermitKey } from '../../../core/integrations/listing-portal/system.ts';
import type { Permit } from '../../../core/integrations/listing-portal/wire.ts';
import { asServiceError } from '../../../core/runtime/errors.ts';
import { mapConcurrent } from '../../../core/runtime/map-concurrent.ts';
import { createTimeout, type Timeout, untilAborted } from '../../../core/runtime/timeout.ts';
import { contentOf } from '../layout/view/listing-content.ts';
import { cleanText } from '../layout/view/text.ts';
import { kindOf } from '../layout/view/vocabulary.ts';
import type { Listing } from '../listing.ts';
import { emirateOf } from '../vocabulary/emirates.ts';
import { httpsUrl, isDraft, isOfficial, type PermitBrand, permitNumberOf, permitUrlOf } from '../vocabulary/permits.ts';
import { type FieldFinding, type Finding, warning } from './finding.ts';
import { registeredFindings } from './registered-rules.ts';

const concurrency = 8;
/** The time limit of a job. The rate limit of the portal lets 100 calls through at once, and 9 a second after them. */
const defaultTotalMs = 25_000;

interface LookUpOptions {
  signal: AbortSignal;
  /** Time for the look-ups of all listings together. */
  totalMs?: number;
}

const field = '/permit_number';

interface LookUp {
  key: PermitKey | null;
  permit?: Permit | undefined;
  /** Why there is no answer; a sentence. */
  failure?: string;
}

/** @returns the listings, and findings with pointers into the request @throws the signal's reason when aborted */
export async function withOfficialPermits(
  listings: readonly Listing[],
  brand: PermitBrand,
  permits: PermitSource,
  options: LookUpOptions,
): Promise<{ listings: Listing[]; findings: Finding[] }> {
  const lookUps = await lookUpAll(listings, brand, permits, options);
  const completed = listings.map((listing, index) => completedBy(listing, lookUps[index]?.permit));
  const findings = completed.flatMap((listing, index) => {
    const given = listings[index] ?? listing;
    const found = [
      ...hostFindings(given, brand),
      ...lookUpFindings(given, lookUps[index]),
      ...linkFindings(listing, brand),
    ];
    return found.map(({ field: at, ...finding }) => ({ ...finding, pointer: `/list/${index}${at}` }));
  });
  return { listings: completed, findings };
}

async function lookUpAll(
  listings: readonly Listing[],
  brand: PermitBrand,
  permits: PermitSource,
  { signal, totalMs = defaultTotalMs }: LookUpOptions,
): Promise<LookUp[]> {
  const time = createTimeout(totalMs, signal);
  try {
    const lookUps = await mapConcurrent(listings, { limit: concurrency }, async listing => {
      const key = permits.isConfigured ? keyOf(listing, brand) : null;
      return key === null ? { key } : await lookUp(key, permits, time);
    });
    signal.throwIfAborted();
    return lookUps;
  } finally {
    time.clear();
  }
}

async function lookUp(key: PermitKey, permits: PermitSource, time: Timeout): Promise<LookUp> {
  if (time.signal.aborted) return { key, failure: 'The permits of the other listings took all of the time.' };
  const find = () => untilAborted(permits.find(key), time.signal);
  try {
    const isTransient = (error: unknown) =>
      error instanceof UpstreamError && error.transient && error.failure.kind !== 'paused';
    const permit = await find().catch((error: unknown) => {
      if (isTransient(error)) return find();
      throw error;
    });
    return { key, permit };
  } catch (error) {
    if (time.hasExpired()) return { key, failure: 'There was no answer in time.' };
    return { key, failure: asServiceError(error).message };
  }
}

/** null for a listing whose permit needs no look-up, or cannot be looked up. */
function keyOf(listing: Listing, brand: PermitBrand): PermitKey | null {
  const [permitNumber = '', ownLicence] = cleanText(listing.permit_number).replaceAll(' ', '').split('#');
  const licenceNumber = ownLicence || brand.licenceNumber;
  const permitType = typeOf(listing);
  const isComplete = httpsUrl(listing.permit_url) !== null && listing.permit_expires_at !== '';
  if (isDraft(listing) || isComplete || !licenceNumber || !permitType) return null;
  return /^[A-Za-z0-9-]{4,40}$/.test(permitNumber) ? { permitNumber, licenceNumber, permitType } : null;
}

function typeOf(listing: Listing): PermitKey['permitType'] | undefined {
  const emirate = emirateOf(listing);
  if (emirate === 'abu-dhabi') return 'adrec';
  if (emirate !== 'dubai') return undefined;
  return kindOf(listing) === 'holiday' ? 'dtcm' : 'rera';
}

/** Values of the request have precedence. */
function completedBy(listing: Listing, permit: Permit | undefined): Listing {
  if (!permit) return listing;
  const { projectNumber, developer } = permit.registered;
  const described = contentOf(listing).described;
  const isOffPlan = kindOf(listing) === 'off-plan';
  return {
    ...listing,
    permit_url: httpsUrl(listing.permit_url) ?? permit.validationUrl ?? '',
    permit_expires_at: listing.permit_expires_at || (permit.expiresAt ?? ''),
    project_number: listing.project_number || (isOffPlan && !described.has('projectNumber') ? projectNumber : ''),
    developer: listing.developer || (isOffPlan && !described.has('developer') ? developer : ''),
  };
}

function* hostFindings(listing: Listing, brand: PermitBrand): Iterable<FieldFinding> {
  const url = httpsUrl(listing.permit_url);
  if (url === null || isDraft(listing) || isOfficial(url, brand)) return;
  const detail = `The link is not on a host of a regulator (${brand.permitHosts.join(', ')}); check that it opens the official record.`;
  yield warning('permit-url-host', '/permit_url', detail);
}

function* lookUpFindings(listing: Listing, found: LookUp | undefined): Iterable<FieldFinding> {
  if (!found?.key) return;
  const { key, permit, failure } = found;
  if (failure !== undefined) {
    yield warning('permit-look-up', field, `The permit could not be looked up in the listing portal: ${failure}`);
  } else if (permit === undefined) {
    const detail = `The listing portal has no permit ${key.permitNumber} of the licence ${key.licenceNumber}; check both numbers.`;
    yield warning('permit-unknown', field, detail);
  } else yield* registeredFindings(listing, permit.registered);
}

function* linkFindings(listing: Listing, brand: PermitBrand): Iterable<FieldFinding> {
  if (permitNumberOf(listing) === '' || isDraft(listing) || permitUrlOf(listing, brand) !== null) return;
  if (emirateOf(listing) === 'dubai') {
    const detail =
      'The permit is printed without its QR code, which adverts in Dubai must have: send `permit_url`, or connect the listing portal and set `licenceNumber` in the brand file.';
    yield warning('permit-link-missing', field, detail);
  } else if (brand.permitUrl !== undefined && !isOfficial(brand.permitUrl, brand)) {
    const detail = `The permit is printed without a QR code, because the brand’s permitUrl is on none of its permitHosts (${brand.permitHosts.join(', ')}).`;
    yield warning('permit-link-missing', field, detail);
  }
}
