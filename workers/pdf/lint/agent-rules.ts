/** The agent's card: licensed, and reachable by what it prints. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { Listing } from '../listing.ts';
import { emirateOf } from './emirate.ts';
import { type FieldFinding, hint, warning } from './finding.ts';

export function agentFindings(listing: Listing): FieldFinding[] {
  const { agent } = listing;
  const isEmpty = Object.values(agent).every(value => value === '');
  if (isEmpty) {
    return [
      hint(
        'agent-missing',
        '/agent',
        'There is no agent; the page shows the brokerage’s own contact instead.',
      ),
    ];
  }
  return [...nameFindings(agent), ...brnFindings(listing), ...phoneFindings(agent), ...emailFindings(agent)];
}

function nameFindings({ name }: Listing['agent']): FieldFinding[] {
  if (name !== '') return [];
  return [warning('agent-name-missing', '/agent/name', 'The agent has no name; put it here.')];
}

/** Dubai's broker registration number: digits, five or so. */
function brnFindings(listing: Listing): FieldFinding[] {
  const brn = listing.agent.brn_number.replace(/^BRN[\s:#-]*/i, '');
  const field = '/agent/brn_number';
  if (brn === '') {
    return emirateOf(listing) === 'dubai'
      ? [
          warning(
            'brn-missing',
            field,
            'A Dubai advert names the agent’s broker registration number (BRN); put it here.',
          ),
        ]
      : [];
  }
  if (/^\d{3,7}$/.test(brn)) return [];
  return [
    warning('brn-form', field, 'A broker registration number (BRN) is three to seven digits, such as 54821.'),
  ];
}

function phoneFindings({ phone, email }: Listing['agent']): FieldFinding[] {
  const field = '/agent/phone';
  if (phone === '') {
    return email === ''
      ? [
          warning(
            'contact-missing',
            field,
            'The agent has neither phone nor e-mail: nobody can answer the advert.',
          ),
        ]
      : [];
  }
  if (parsePhoneNumberFromString(phone, 'AE')?.isValid()) return [];
  return [
    warning(
      'phone-form',
      field,
      'This is no phone number anyone can call; write it with its country, as in +971501234567.',
    ),
  ];
}

function emailFindings({ email }: Listing['agent']): FieldFinding[] {
  if (email === '' || /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(email)) return [];
  return [warning('email-form', '/agent/email', 'This is no e-mail address.')];
}
