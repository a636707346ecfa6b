/** What a REST method is: parameters in, the vendor's result out, and how much of its run time a call counts. */
import type { Parameters } from './parameters.ts';

export interface MethodCall {
  parameters: Parameters;
  /** The user whose webhook calls. */
  userId: number;
}

export interface MethodAnswer {
  result: unknown;
  /** Of lists only; `next` of those with a further page. */
  total?: number;
  next?: number | undefined;
}

export type Method = (call: MethodCall) => MethodAnswer;

/** By the lower-case name, such as `crm.lead.get`. */
export type Methods = Record<string, Method>;

export const now = (): string => `${new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 19)}+03:00`;
