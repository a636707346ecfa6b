/** Checks what adverts must name, and what their description must not: a second permit, licence or phone number. */
import { contentOf } from '../layout/view/listing-content.ts';
import { maxRawLength } from '../layout/view/story.ts';
import { cleanText } from '../layout/view/text.ts';
import { isOffPlan, purposeOf } from '../layout/view/vocabulary.ts';
import type { Listing } from '../listing.ts';
import { hasAddress, hashtag, phonesIn } from '../vocabulary/contact-data.ts';
import { type FieldFinding, warning } from './finding.ts';

export function* advertFindings(listing: Listing): Iterable<FieldFinding> {
  yield* offPlanFindings(listing);
  yield* descriptionFindings(listing);
}

/** A line of the description counts, too: the page prints it as a detail. */
function* offPlanFindings(listing: Listing): Iterable<FieldFinding> {
  if (!isOffPlan(listing.completion_status) || purposeOf(listing.purpose) === 'rent') return;
  const { described } = contentOf(listing);
  if (!described.has('projectNumber')) {
    const detail = 'An advert of an off-plan property must name the project number; enter it here.';
    yield warning('project-number-missing', '/project_number', detail);
  }
  if (!described.has('escrowAccount')) {
    const detail = 'An advert of an off-plan property must name the escrow account; enter it here.';
    yield warning('escrow-account-missing', '/escrow_account', detail);
  }
}

const namedPermit = /(?:permit|trakheesi|madmoun|madhmoun|تصريح)[^\d\n]{0,20}(\d{5,20})/gi;
/** Dubai's numbers start with 71. */
const barePermit = /(?<!\d)71\d{8,9}(?!\d)/g;
const licence = /\b(?:ORN|RERA)\b[^\d\n]{0,16}(\d{3,7})(?!\d)/i;

/** Phone numbers are compared without country code and trunk 0. */
const nationalDigits = 8;

function* descriptionFindings(listing: Listing): Iterable<FieldFinding> {
  const field = '/description_en';
  // The part that the pages read.
  const text = cleanText(listing.description_en.slice(0, maxRawLength));
  const permit = otherPermitIn(text, listing.permit_number);
  if (permit !== undefined) {
    const detail = `The description has the permit number ${permit}, which is not that of the listing; remove it.`;
    yield warning('description-permit', field, detail);
  }
  const [, orn] = licence.exec(text) ?? [];
  if (orn !== undefined) {
    const detail = `The description has a licence number (${orn}); remove it: every page has the licence of the brand.`;
    yield warning('description-licence', field, detail);
  }
  const number = otherPhoneIn(text, listing.agent.phone);
  if (number !== undefined) {
    const detail = `The description has the phone number ${number}, which is not that of the agent; remove it.`;
    yield warning('description-phone', field, detail);
  }
  if (hasAddress(text) || text.search(hashtag) !== -1) {
    const detail = 'The description has an e-mail or web address, an account name or hashtags; remove them.';
    yield warning('description-contact', field, detail);
  }
}

function otherPermitIn(text: string, own: string): string | undefined {
  const numbers = [...text.matchAll(namedPermit), ...text.matchAll(barePermit)].map(([all, named = all]) => named);
  const ownDigits = own.split(/[#-]/)[0]?.replaceAll(/\D/g, '') ?? '';
  return numbers.find(number => number !== ownDigits);
}

function otherPhoneIn(text: string, own: string): string | undefined {
  const ownDigits = own.replaceAll(/\D/g, '');
  return phonesIn(text).find(number => !ownDigits.includes(number.replaceAll(/\D/g, '').slice(-nationalDigits)));
}
