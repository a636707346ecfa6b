/** What the lint finds in a listing: a code to act on by program, and a sentence to act on by hand. */
import type { z } from 'zod';
import type { Warning } from '../../../core/jobs/record.ts';
import type { Listing } from '../listing.ts';

/** `error`: must not be advertised so. `warning`: most likely wrong or missing. `hint`: would be better otherwise. */
export type Severity = 'error' | 'warning' | 'hint';

export interface Finding extends z.infer<typeof Warning> {
  /** Stable, such as `permit-missing`. */
  code: string;
  severity: Severity;
  /** What is wrong and how to mend it. */
  detail: string;
}

/** A finding of one listing: `field` is the JSON Pointer within it, such as `/price`. */
export interface FieldFinding extends Pick<Finding, 'code' | 'severity' | 'detail'> {
  field: string;
}

export type Rule = (listing: Listing) => FieldFinding[];

export const error = (code: string, field: string, detail: string): FieldFinding => ({
  code,
  severity: 'error',
  field,
  detail,
});

export const warning = (code: string, field: string, detail: string): FieldFinding => ({
  code,
  severity: 'warning',
  field,
  detail,
});

export const hint = (code: string, field: string, detail: string): FieldFinding => ({
  code,
  severity: 'hint',
  field,
  detail,
});
