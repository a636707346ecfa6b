import { describe, expect, it } from 'vitest';
import { kindOfJobId, newJobId } from '../../../../core/jobs/contract.ts';

describe('a job id', () => {
  it('names its kind and is made of a version 7 UUID', () => {
    const id = newJobId('location-sync');
    expect(id).toMatch(/^location-sync_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(kindOfJobId(id)).toBe('location-sync');
  });

  it('sorts by the time it was made, also within a millisecond', () => {
    const ids = Array.from({ length: 1_000 }, () => newJobId('pdf'));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is one that BullMQ takes: no colon, and no mere number', () => {
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
  ])('%j is none', text => {
    expect(kindOfJobId(text)).toBeUndefined();
  });
});
