/** Large job input, stored once under its hash, and the search for jobs by the terms of their input. */
import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { insertCallback } from '../../../../../core/callbacks/outbox.ts';
import { newJobId } from '../../../../../core/jobs/contract.ts';
import type { JobInput } from '../../../../../core/jobs/record.ts';
import { createJobInputs, hasTerm, toJobInput } from '../../../../../core/jobs/repository/inputs.ts';
import { createJobRecords } from '../../../../../core/jobs/repository/repository.ts';
import { jobInputTable as table } from '../../../../../core/jobs/schema.ts';
import { useTestDatabase } from '../../../../support/test-database.ts';

const { database } = await useTestDatabase('job inputs');
const inputs = createJobInputs(database);
const records = createJobRecords(database, { resultRetentionHours: 1, insertCallback });

/** A job with the input. */
const put = (input: JobInput) =>
  records.create({
    id: newJobId('pdf'),
    kind: 'pdf',
    clientId: 'portal',
    payload: { input: input.sha256 },
    attemptsMax: 1,
    inputs: [input],
  });
const stored = async (sha256: string) => (await database.select().from(table).where(eq(table.sha256, sha256)))[0];

describe('an input', () => {
  it.each([[{ list: [1, 'ü', null] }], ['a text'], [[]], [null]])('of %j is found by its hash', async value => {
    const input = toJobInput(value);
    expect(await inputs.get(input.sha256)).toBeUndefined();
    await put(input);
    expect(await inputs.get(input.sha256)).toEqual(value);
  });

  it('has the SHA-256 of its JSON as its hash, and no search terms by default', () => {
    const { sha256, body, searchTerms } = toJobInput({ a: 1 });
    expect(searchTerms).toEqual([]);
    expect(body).toBe('{"a":1}');
    expect(sha256).toBe('015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862');
  });

  it('that is stored by several requests at the same time is stored once, also among others', async () => {
    const values = Array.from({ length: 20 }, () => ({ id: randomUUID() }));
    const long = { text: 'x'.repeat(100_000), id: randomUUID() };
    await Promise.all([...values, ...values, long, long].map(value => put(toJobInput(value, [value.id]))));
    for (const value of [...values, long]) {
      const { sha256 } = toJobInput(value);
      expect(await inputs.get(sha256)).toEqual(value);
      expect((await stored(sha256))?.searchTerms).toEqual([value.id.toUpperCase()]);
    }
  });

  it('that is stored again is kept longer, with its new terms', async () => {
    const value = { id: randomUUID() };
    const { sha256 } = toJobInput(value);
    await put(toJobInput(value, ['one']));
    await database
      .update(table)
      .set({ usedAt: new Date(0) })
      .where(eq(table.sha256, sha256));
    await put(toJobInput(value, ['two']));
    const row = await stored(sha256);
    expect(row?.searchTerms).toEqual(['TWO']);
    expect(Date.now() - (row?.usedAt.getTime() ?? 0)).toBeLessThan(60_000);
  });
});

describe('jobs', () => {
  const found = async (term: string) => (await records.list({ clientId: null, limit: 10, term })).map(({ id }) => id);
  async function jobWith(terms: readonly string[]): Promise<string> {
    return (await put(toJobInput({ id: randomUUID() }, terms))).id;
  }

  it('are found by a term of their input, whatever its case and the spaces around it', async () => {
    const [id, other] = [await jobWith([' MP-s-2041 ', 'second']), await jobWith(['MP-S-20411'])];
    await records.create({ id: newJobId('pdf'), kind: 'pdf', clientId: 'portal', payload: {}, attemptsMax: 1 });
    for (const term of ['MP-S-2041', ' mp-s-2041', 'Second']) expect(await found(term)).toEqual([id]);
    expect(await found('mp-s-20411')).toEqual([other]);
    expect(await found('MP-S')).toEqual([]);
  });

  it('are found by a value of their payload: an id, an e-mail address, the hash of an input or a mail', async () => {
    const create = async (kind: string, payload: object) =>
      (await records.create({ id: newJobId(kind), kind, clientId: 'portal', payload, attemptsMax: 1 })).id;
    const [byId, byEmail] = [
      await create('terminations', { system: 'all', crmId: 90_001 }),
      await create('terminations', { system: 'all', email: 'jane"\\@house.example' }),
    ];
    const [input, mail] = [randomUUID(), randomUUID()];
    const brochure = await create('pdf', { input, mail, listings: 90_001 });
    expect(await found('90001')).toEqual([byId]);
    expect(await found(' Jane"\\@House.example')).toEqual([byEmail]);
    for (const hash of [input, mail]) expect(await found(hash)).toEqual([brochure]);
    expect(await found('9000')).toEqual([]);
  });

  it('are found with an index for each part of the search, also with many jobs', async () => {
    await database.execute(sql`
      insert into job (id, kind, client_id, state, payload, attempts_max)
      select 'bulk_' || n, 'bulk', 'one', 'cancelled', case when n % 2 = 0 then jsonb_build_object('crmId', n + 1000000)
        else jsonb_build_object('input', 'i' || n, 'mail', 'm' || n) end, 1 from generate_series(1, 20000) as n`);
    await database.execute(sql`analyze job`);
    const { rows } = await database.execute(sql`explain select id from job where ${hasTerm('1000002')}`);
    const plan = JSON.stringify(rows);
    for (const index of ['job_of_input', 'job_of_mail', 'job_of_fact']) expect(plan).toContain(index);
    expect(plan).not.toContain('Seq Scan on job ');
    expect(await found('1000002')).toEqual(['bulk_2']);
    await database.execute(sql`delete from job where kind = 'bulk'`);
  });

  it('are found by the first 200 characters of a long term', async () => {
    const start = randomUUID().padEnd(200, 'x');
    const id = await jobWith([`${start}and more`]);
    expect(await found(`${start}and something else`)).toEqual([id]);
    expect(await found(start.slice(0, 199))).toEqual([]);
  });
});
