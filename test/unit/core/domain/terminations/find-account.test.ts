/** Which account of a system is a person's: exactly one, or a refusal that names those in question. */
import { describe, expect, it } from 'vitest';
import type { Account } from '../../../../../core/domain/terminations/accounts.ts';
import { resolveAccount, isProtected } from '../../../../../core/domain/terminations/find-account.ts';
import type { Person } from '../../../../../core/domain/terminations/person.ts';

const person: Person = { crmId: 17, email: 'a@firm.example', inCrm: 'dismissed', namesakes: [] };
const account = (id: string, crmId: number | null): Account => ({ id, crmId, email: 'a@firm.example' });
const choose = (byCrmId: Account[], byEmail: Account[], who: Partial<Person> = {}) =>
  resolveAccount({ byCrmId, byEmail }, { ...person, ...who }, 'the chat-bot database');

describe('a person’s account', () => {
  it('is the one with the CRM id, before any with the e-mail', () => {
    const own = account('1', 17);
    expect(choose([own], [own, account('2', 18)])).toEqual({ account: own, matchedBy: 'crmId', alike: [] });
  });

  it('comes with a word about others that may be theirs', () => {
    const own = account('1', 17);
    expect(choose([own], [own, account('2', null)])?.alike).toEqual(['2']);
  });

  it('is else the one with the e-mail', () => {
    const own = account('1', null);
    expect(choose([], [own])).toEqual({ account: own, matchedBy: 'email', alike: [] });
    expect(choose([], [account('1', 17)], { crmId: null })).toMatchObject({ matchedBy: 'email' });
  });

  it('may not be there', () => {
    expect(choose([], [])).toBeUndefined();
  });

  it.each([
    ['several have the CRM id', [account('1', 17), account('2', 17)], [], {}, /: 1, 2\./],
    ['several have the e-mail', [], [account('1', null), account('2', null)], {}, /: 1, 2\./],
    ['the e-mail is that of another CRM user there', [], [account('1', 99)], {}, /CRM user 99 \(1\)/],
    ['CRM users share the e-mail', [], [account('1', null)], { namesakes: [23] }, /CRM users 17, 23 share/],
  ])('is not guessed when %s', (_, byCrmId, byEmail, who, sentence) => {
    expect(() => choose(byCrmId, byEmail, who)).toThrow(sentence);
  });
});

describe('protected e-mails', () => {
  it('are whole addresses, with * for any text, in any case', () => {
    const patterns = ['svc-*@firm.example', 'ceo@firm.example'];
    expect(isProtected('SVC-Backup@firm.example', patterns)).toBe(true);
    expect(isProtected('ceo@firm.example ', patterns)).toBe(true);
    expect(isProtected('vice-ceo@firm.example', patterns)).toBe(false);
    expect(isProtected('ceo@firmxexample', patterns)).toBe(false);
    expect(isProtected('ceo@firm.example', [])).toBe(false);
  });
});
