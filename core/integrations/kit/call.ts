/** One call to an outside system, as a connector states it. */
import type { FormData } from 'undici';
import type { z } from 'zod';

/**
 * What may be repeated. `read`: changes nothing. `set`: brings about a state, however often it is sent.
 * `create`: adds something each time it runs, so that it is repeated only when it surely did not run.
 */
export type CallClass = 'read' | 'set' | 'create';

export interface Call<A extends z.ZodType = z.ZodType> {
  class: CallClass;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base address; begins with a slash. It may be logged: no secret, no person's data. */
  path: string;
  /** Lists become repeated parameters; undefined ones are left out. */
  query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>> | undefined;
  json?: unknown;
  /** A body of another type, with its `content-type` in `headers`. */
  body?: string | Uint8Array | FormData;
  headers?: Readonly<Record<string, string>>;
  /** What the answer must look like; an answer without a body is parsed as undefined. */
  answer: A;
  timeoutMs?: number;
}
