/** A refusal as the API document shows it. */

import { type ErrorCode, ServiceError } from '../../core/runtime/errors.ts';
import type { Problem } from '../../core/runtime/problem.ts';
import { problemOf } from '../../core/runtime/problem.ts';

export const problemExample = (code: ErrorCode, detail: string, path: string): Problem =>
  problemOf(new ServiceError(code, detail), `/v2${path}`);
