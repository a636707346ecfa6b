import { describe, expect, it } from 'vitest';
import { kindOfJobId, newJobId } from '../../../../core/jobs/contract.ts';

describe('a job id', () => {
  it('consists of its kind and a version 7 UUID', () => {
    const id = newJobId('location-sync');
    expect(id).toMatch(/^location-sync_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(kindOfJobId(id)).toBe('location-sync');
  });

  it('sorts by creation time, also within a millisecond', () => {
    const ids = Array.from({ length: 1_000 }, () => newJobId('pdf'));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is valid for BullMQ: no colon, not a number', () => {
    expect(newJobId('pdf')).not.toContain(':');
    expect(Number(newJobId('pdf'))).toBeNaN();
  });

  it.each([
    '',
    'pdf',
    'pdf_',
    '0198e4c0-0000-7000-8000-000000000000',
    '_0198e4c0-0000-7000-8000-000000000000',
    'PDF_0198e4c0-0000-7000-8000-000000000000',
    'pdf_0198e4c0-0000-7000-8000-00000000000',
    'pdf_0198e4c0-0000-7000-8000-0000000000000',
    "pdf_0198e4c0-0000-7000-8000-000000000000'--",
    'pdf_0198e4c0-0000-7000-8000-000000000000\n',
    '../pdf_0198e4c0-0000-7000-8000-000000000000',
  ])('does not accept %j', text => expect(kindOfJobId(text)).toBeUndefined());
});
