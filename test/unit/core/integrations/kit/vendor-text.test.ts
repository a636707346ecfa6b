/** Texts of vendors, without what may be secret or personal. */
import { describe, expect, it } from 'vitest';
import { faultError } from '../../../../../core/integrations/kit/fault.ts';
import { scrubbed } from '../../../../../core/integrations/kit/vendor-text.ts';

const system = { name: 'crm', title: 'The CRM' };

describe('a text of a vendor', () => {
  it.each([
    ['Access denied.', 'Access denied.'],
    ['<b>Field &quot;TITLE&quot;</b> is  wrong', 'Field "TITLE" is wrong'],
    ['Sara.Haddad@example.com is wrong', '[e-mail] is wrong'],
    ['see https://x.bitrix24.com/rest/1/secret9/crm.lead.get', 'see [address]'],
    ['the number +971 50 123-4567 is wrong', 'the number [number] is wrong'],
    ['Lead 104711 of 2026', 'Lead 104711 of 2026'],
    ['token a1b2c3d4e5f6a7b8c9d0e1f2 expired', 'token [token] expired'],
  ])('%j is shown as %j', (text, shown) => expect(scrubbed(text)).toBe(shown));

  it('is part of the error, unless it may name people', () => {
    const fault = { verdict: 'rejected', code: 'ACCESS_DENIED', message: 'Access denied.' } as const;
    expect(faultError(system, 400, fault).message).toBe('The CRM rejected the call: Access denied (ACCESS_DENIED).');
    expect(faultError(system, 400, { ...fault, isPersonal: true }).message).toBe(
      'The CRM rejected the call (ACCESS_DENIED).',
    );
  });
});
