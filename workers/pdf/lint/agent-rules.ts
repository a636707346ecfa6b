/** Checks the agent: licence and contact details. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { Listing } from '../listing.ts';
import { brokerLicenceOf, brokerLicencePrefix, emirateOf } from '../vocabulary/emirates.ts';
import { type FieldFinding, hint, warning } from './finding.ts';

export function* agentFindings(listing: Listing): Iterable<FieldFinding> {
  const { agent } = listing;
  if (Object.values(agent).every(value => value === '')) {
    yield hint('agent-missing', '/agent', 'There is no agent; the page shows the brand’s contact instead.');
    return;
  }
  if (agent.name === '') yield warning('agent-name-missing', '/agent/name', 'Enter the name of the agent.');
  yield* brnFindings(listing);
  yield* phoneFindings(agent);
  if (agent.email !== '' && !/^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(agent.email)) {
    yield warning('email-form', '/agent/email', 'This is not a valid e-mail address.');
  }
}

/** The broker registration number (BRN), in Abu Dhabi the broker licence number (BLN). */
function* brnFindings(listing: Listing): Iterable<FieldFinding> {
  const brn = listing.agent.brn_number.replace(brokerLicencePrefix, '');
  const field = '/agent/brn_number';
  if (brn === '' && emirateOf(listing) === 'dubai') {
    const detail = 'An advert in Dubai must show the agent’s broker registration number (BRN); enter it here.';
    yield warning('brn-missing', field, detail);
  } else if (brn !== '' && !/^\d{3,7}$/.test(brn)) {
    const name =
      brokerLicenceOf(listing) === 'BLN' ? 'broker licence number (BLN)' : 'broker registration number (BRN)';
    const detail = `A ${name} has three to seven digits, such as 54821.`;
    yield warning('brn-form', field, detail);
  }
}

function* phoneFindings({ phone, email }: Listing['agent']): Iterable<FieldFinding> {
  const field = '/agent/phone';
  if (phone === '' && email === '') {
    yield warning('contact-missing', field, 'The agent has neither phone nor e-mail; enter at least one.');
  } else if (phone !== '' && !parsePhoneNumberFromString(phone, 'AE')?.isValid()) {
    const detail = 'This is not a valid phone number; write it with the country code, such as +971501234567.';
    yield warning('phone-form', field, detail);
  }
}
