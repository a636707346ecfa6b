/** Rows of vendor answers are parsed one by one; bad ones are reported once, without their values. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type BadRow, withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import {
  badRowText,
  everyRow,
  goodRows,
  type RowKind,
  rowsIn,
} from '../../../../../core/integrations/kit/read-rows.ts';
import { startReport } from '../../../../../core/sync/report.ts';

const system = { name: 'crm', title: 'The CRM' };
const kind: RowKind = { system, record: 'user', id: 'ID' };
const Users = rowsIn(kind, z.object({ ID: z.string(), tags: z.array(z.int()) }));
const good = { ID: '1', tags: [1] };
const bad = { ID: '2', tags: [1, 'Sara Haddad'] };

describe('a list with a bad row', () => {
  it('has its good rows; the bad one is reported once, with the path of its field', () => {
    const seen: BadRow[] = [];
    withCallContext({ priority: 'background', onBadRow: row => seen.push(row) }, () => {
      for (let reads = 0; reads < 2; reads += 1) expect(goodRows(Users.parse([good, bad]))).toEqual([good]);
    });
    expect(seen.map(badRowText)).toEqual(['crm user 2: tags.1: expected number, received string']);
  });

  it('is an error where a missing row would count as no record', () =>
    expect(() => everyRow(system, Users.parse([good, bad]))).toThrow(
      'The CRM returned an answer in an unexpected form: crm user 2: tags.1: expected number, received string.',
    ));

  it.each([null, 'text', {}, { ID: null }])('names a row without an id by its place: %j', row =>
    expect(Users.parse([good, row])[1]).toMatchObject({ id: 'no. 2', bad: { record: 'user' } }),
  );

  it('is reported with its work, also by work within it', () =>
    withCallContext({ priority: 'background' }, ({ badRows }) => {
      withCallContext({ priority: 'interactive' }, () => goodRows(Users.parse([bad])));
      expect([...badRows.keys()]).toEqual(['crm user 2']);
    }));

  it('is in the report of the synchronisation, unless the handler reported the row', () =>
    withCallContext({ priority: 'background' }, () => {
      goodRows(Users.parse([bad, { ID: '3' }, { ID: '4' }]));
      const report = startReport({ dryRun: false });
      report.countRow({ key: '3', outcome: 'failed', reason: 'mine' });
      report.countRow({ key: 'crm user 4', outcome: 'failed', reason: 'mine' });
      for (let times = 0; times < 2; times += 1)
        expect(report.finish(0)).toMatchObject({
          failed: 3,
          rows: [
            { key: '3', reason: 'mine' },
            { key: 'crm user 4', reason: 'mine' },
            { key: 'crm user 2', outcome: 'failed', reason: 'tags.1: expected number, received string' },
          ],
        });
      expect(report.rejected()).toBe(2);
    }));
});
