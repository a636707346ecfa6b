import { describe, expect, it } from 'vitest';
import { parsePhpQuery, phpMap } from '../../../../sandbox/crm/parameters.ts';

describe('parameters in PHP’s syntax', () => {
  it.each([
    ['id=5', { id: '5' }],
    ['filter[>ID]=5&filter[CATEGORY_ID]=1', { filter: { '>ID': '5', CATEGORY_ID: '1' } }],
    ['select[]=ID&select[]=TITLE', { select: ['ID', 'TITLE'] }],
    ['select[0]=ID&select[1]=TITLE', { select: ['ID', 'TITLE'] }],
    ['filter%5B%3EID%5D=5', { filter: { '>ID': '5' } }],
    [
      'fields[PHONE][0][VALUE]=%2B971501111111&fields[PHONE][0][VALUE_TYPE]=WORK',
      { fields: { PHONE: [{ VALUE: '+971501111111', VALUE_TYPE: 'WORK' }] } },
    ],
    ['', {}],
  ])('%s', (query, parameters) => expect(parsePhpQuery(query)).toEqual(parameters));
});

describe('maps as PHP encodes them', () => {
  it.each([
    ['an empty map is a list', [], []],
    [
      'keys counted from 0 make a list',
      [
        ['0', 'a'],
        ['1', 'b'],
      ],
      ['a', 'b'],
    ],
    [
      'a gap makes a map',
      [
        ['0', 'a'],
        ['2', 'b'],
      ],
      { 0: 'a', 2: 'b' },
    ],
    ['names make a map', [['lead', 1]], { lead: 1 }],
  ] as const)('%s', (_title, entries, expected) => expect(phpMap(entries)).toEqual(expected));
});
