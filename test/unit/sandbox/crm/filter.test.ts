import { describe, expect, it } from 'vitest';
import { dealFields, viewingFields } from '../../../../sandbox/crm/entity-fields.ts';
import type { Row } from '../../../../sandbox/crm/fields.ts';
import { conditionOf } from '../../../../sandbox/crm/filter.ts';

const deals: Row[] = [
  { ID: 1, TITLE: 'Marina flat', CATEGORY_ID: 0, OPPORTUNITY: 100, DATE_CREATE: '2025-01-01T00:00:00+03:00' },
  { ID: 2, TITLE: 'Palm villa', CATEGORY_ID: 1, OPPORTUNITY: 900.5, DATE_CREATE: '2025-02-01T00:00:00+03:00' },
  { ID: 3, TITLE: 'MARINA office', CATEGORY_ID: 1, OPPORTUNITY: null, DATE_CREATE: '2025-03-01T00:00:00+03:00' },
];

const idsOf = (rows: readonly Row[], filter: Record<string, unknown>, isItemList = false): number[] => {
  const matches = conditionOf(filter, {
    findField: name => (isItemList ? viewingFields.byItemName.get(name) : dealFields.byName.get(name)),
    unknown: () => () => true,
    isItemList,
  });
  return rows.filter(matches).map(({ ID }) => ID);
};

describe('filters of legacy methods', () => {
  it.each([
    ['plain', { CATEGORY_ID: '1' }, [2, 3]],
    ['=', { '=TITLE': 'Palm villa' }, [2]],
    ['!', { '!CATEGORY_ID': 1 }, [1]],
    ['!=', { '!=ID': 2 }, [1, 3]],
    ['>', { '>ID': '1' }, [2, 3]],
    ['>=', { '>=OPPORTUNITY': 900.5 }, [2]],
    ['< (null matches no comparison)', { '<OPPORTUNITY': 1000 }, [1, 2]],
    ['@', { '@ID': [1, 3] }, [1, 3]],
    ['a list without a prefix', { ID: ['1', '3'] }, [1, 3]],
    ['!@', { '!@ID': [1, 3] }, [2]],
    ['%', { '%TITLE': 'marina' }, [1, 3]],
    ['=% with its own wildcard', { '=%TITLE': 'marina%' }, [1, 3]],
    ['%= with its own wildcard', { '%=TITLE': '%flat' }, [1]],
    ['a time in another offset', { '>DATE_CREATE': '2025-01-31T21:00:00Z' }, [3]],
    ['a day', { '>=DATE_CREATE': '2025-02-01' }, [2, 3]],
    ['empty', { OPPORTUNITY: '' }, [3]],
    ['unknown fields are ignored', { NOPE: 1 }, [1, 2, 3]],
    ['several conditions must all match', { CATEGORY_ID: 1, '%TITLE': 'palm' }, [2]],
  ])('%s', (_title, filter, ids) => expect(idsOf(deals, filter)).toEqual(ids));
});

describe('filters of crm.item.list', () => {
  const viewings: Row[] = [
    { ID: 1, TITLE: 'A', UF_CRM_9_ATTENDED: true },
    { ID: 2, TITLE: 'B', UF_CRM_9_ATTENDED: false },
  ];

  it('compare custom booleans with 1 and 0; Y and N match nothing', () => {
    expect(idsOf(viewings, { ufCrm9Attended: 1 }, true)).toEqual([1]);
    expect(idsOf(viewings, { ufCrm9Attended: '0' }, true)).toEqual([2]);
    expect(idsOf(viewings, { ufCrm9Attended: 'Y' }, true)).toEqual([]);
  });

  it('support nested conditions with a logic', () =>
    expect(idsOf(viewings, { 0: { logic: 'OR', 0: { title: 'A' }, 1: { title: 'B' } }, '>id': 1 }, true)).toEqual([2]));

  it('support !%', () => expect(idsOf(viewings, { '!%title': 'a' }, true)).toEqual([2]));
});
