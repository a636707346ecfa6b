/** Resolves a person's account among the candidates of a system. */
import { describe, expect, it } from 'vitest';
import type { Account } from '../../../../../core/domain/terminations/accounts.ts';
import { isProtected, resolveAccount } from '../../../../../core/domain/terminations/find-account.ts';
import type { Person } from '../../../../../core/domain/terminations/person.ts';

const person: Person = { crmId: 17, email: 'a@firm.example', inCrm: 'dismissed', namesakes: [] };
const account = (id: string, crmId: number | null): Account => ({ id, crmId, email: 'a@firm.example' });
const resolve = (byCrmId: Account[], byEmail: Account[], who: Partial<Person> = {}) =>
  resolveAccount({ byCrmId, byEmail }, { ...person, ...who }, 'the chat-bot database');

describe('a person’s account', () => {
  it('is the one with the CRM id, which takes precedence over the e-mail', () => {
    const own = account('1', 17);
    expect(resolve([own], [own, account('2', 18)])).toEqual({ account: own, matchedBy: 'crmId', alike: [] });
  });

  it('lists other accounts with the e-mail and without a CRM id', () => {
    const own = account('1', 17);
    expect(resolve([own], [own, account('2', null)])?.alike).toEqual(['2']);
  });

  it('is the one with the e-mail if none has the CRM id', () => {
    const own = account('1', null);
    expect(resolve([], [own])).toEqual({ account: own, matchedBy: 'email', alike: [] });
    expect(resolve([], [account('1', 17)], { crmId: null })).toMatchObject({ matchedBy: 'email' });
  });

  it('is undefined without candidates', () => expect(resolve([], [])).toBeUndefined());

  it.each([
    ['several accounts have the CRM id', [account('1', 17), account('2', 17)], [], {}, /: 1, 2\./],
    ['several accounts have the e-mail', [], [account('1', null), account('2', null)], {}, /: 1, 2\./],
    ['the account with the e-mail has another CRM id', [], [account('1', 99)], {}, /CRM user 99 \(1\)/],
    ['several CRM users share the e-mail', [], [account('1', null)], { namesakes: [23] }, /CRM users 17, 23 share/],
  ])('is a conflict when %s', (_, byCrmId, byEmail, who, sentence) =>
    expect(() => resolve(byCrmId, byEmail, who)).toThrow(sentence),
  );
});

describe('protected e-mails', () => {
  it('match whole addresses, with * for any text, case-insensitive', () => {
    const patterns = ['svc-*@firm.example', 'ceo@firm.example'];
    expect(isProtected('SVC-Backup@firm.example', patterns)).toBe(true);
    expect(isProtected('ceo@firm.example ', patterns)).toBe(true);
    expect(isProtected('vice-ceo@firm.example', patterns)).toBe(false);
    expect(isProtected('ceo@firmxexample', patterns)).toBe(false);
    expect(isProtected('ceo@firm.example', [])).toBe(false);
  });
});
