/** The findings of a listing check: a stable code for programs and a sentence for people. */
import type { z } from 'zod';
import type { Warning } from '../../../core/jobs/record.ts';
import type { Listing } from '../listing.ts';

/** `error`: must not be advertised. `warning`: probably wrong or missing. `hint`: can be improved. */
type Severity = 'error' | 'warning' | 'hint';

export interface Finding extends z.infer<typeof Warning> {
  /** Stable, such as `permit-missing`. */
  code: string;
  severity: Severity;
  /** What is wrong and what to do. */
  detail: string;
}

/** A finding of one listing. */
export interface FieldFinding extends Pick<Finding, 'code' | 'severity' | 'detail'> {
  /** JSON Pointer within the listing, such as `/price`. */
  field: string;
}

export type Rule = (listing: Listing) => Iterable<FieldFinding>;

const findingWith =
  (severity: Severity) =>
  (code: string, field: string, detail: string): FieldFinding => ({ code, severity, field, detail });

/** The codes of warnings that `strict` makes errors: rules of adverts, whose violation is fined. */
const errorsWhenStrict: ReadonlySet<string> = new Set([
  'permit-expired',
  'permit-expiring',
  'permit-form',
  'permit-price',
  'permit-size',
  'permit-bedrooms',
  'project-number-missing',
  'escrow-account-missing',
  'description-permit',
  'description-licence',
  'description-phone',
]);

export const strictErrors = (findings: readonly Finding[]): Finding[] =>
  findings.filter(({ severity, code }) => severity === 'error' || errorsWhenStrict.has(code));

export const error = findingWith('error');
export const warning = findingWith('warning');
export const hint = findingWith('hint');
