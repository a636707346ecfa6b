/** The request bodies of the lead jobs. */
import { describe, expect, it } from 'vitest';
import { unknownMembers } from '../../../../api/http/input-schema.ts';
import { toPointer } from '../../../../api/http/parse-input.ts';
import { LeadIds, LeadUpdates, LeadWork } from '../../../../workers/leads/contract.ts';

describe('a list of leads', () => {
  it('may be a single lead; phones are parsed to E.164', () => {
    const lead = { id: 5, fields: { phones: ['+971501234567'], comments: null } };
    const body = LeadUpdates.parse({ id: 5, fields: { phones: ['050 123 4567'], comments: null } });
    expect(body).toEqual({ ...lead, dryRun: false });
    expect(LeadWork.parse([body])).toEqual([lead]);
    expect(LeadIds.parse({ leads: [{ id: 5, fields: { title: 'x' } }, { id: 6 }], dryRun: true })).toEqual({
      leads: [{ id: 5 }, { id: 6 }],
      dryRun: true,
    });
  });

  it.each([
    ['nothing', LeadUpdates, {}, ['/leads']],
    ['both forms', LeadUpdates, { leads: [{ id: 1, fields: { title: 'x' } }], id: 2 }, ['/id']],
    ['a single lead without fields', LeadUpdates, { id: 2 }, ['/fields']],
    ['no leads', LeadIds, { leads: [] }, ['/leads']],
    ['invalid ids', LeadIds, { leads: [{ id: 'x' }, { id: 0 }] }, ['/leads/0/id', '/leads/1/id']],
    ['a repeated lead', LeadIds, { leads: [{ id: 5 }, { id: 5 }] }, ['/leads/1/id']],
    [
      'unknown or invalid fields',
      LeadUpdates,
      { leads: [{ id: 1, fields: { phonee: '1', phones: ['x'], utm: { source: 5, sauce: 'x' } } }] },
      ['/leads/0/fields/phonee', '/leads/0/fields/phones/0', '/leads/0/fields/utm/sauce', '/leads/0/fields/utm/source'],
    ],
    ['no fields', LeadUpdates, { id: 1, fields: {} }, ['/fields']],
    [
      'more than 1,000 leads',
      LeadIds,
      { leads: Array.from({ length: 1_001 }, (_, index) => ({ id: index + 1 })) },
      ['/leads'],
    ],
  ])('is rejected with a pointer to each fault: %s', (_, schema, body, pointers) => {
    const issues = schema.safeParse(body).error?.issues ?? [];
    const found = [...issues, ...unknownMembers(schema, body)];
    expect(found.map(({ path }) => toPointer(path)).sort()).toEqual(pointers);
  });
});
