/** A refusal as the API document shows it. */

import type { Problem } from '../../core/jobs/record.ts';
import { type ErrorCode, ServiceError } from '../../core/runtime/errors.ts';
import { problemOf } from '../../core/runtime/problem.ts';

export const problemExample = (code: ErrorCode, detail: string, path: string): Problem =>
  problemOf(new ServiceError(code, detail), `/v2${path}`);
