/** Errors of the listing portal: problem documents with the portal's own types. */
import type { FaultResponse } from '../kit/faults.ts';

export interface InvalidInput {
  detail: string;
  pointer: string;
  /** The only value that the portal documents; absent for other faults. */
  type?: 'RequiredField';
}

export class PortalProblem extends Error {
  readonly status: number;
  readonly response: FaultResponse;
  constructor(status: number, type: string, title: string, detail: string, errors?: readonly InvalidInput[]) {
    super(detail);
    this.status = status;
    this.response = {
      status,
      headers: { 'content-type': 'application/problem+json' },
      body: JSON.stringify({ title, detail, type, ...(errors && { errors }) }),
    };
  }
}

export const rateLimited = new PortalProblem(429, 'RATE_LIMIT', 'Too Many Requests', 'Rate limit exceeded');
export const badToken = new PortalProblem(
  401,
  'AUTHENTICATION',
  'Unauthorized',
  'The access token is missing, invalid or expired',
);
export const badCredentials = new PortalProblem(401, 'AUTHENTICATION', 'Unauthorized', 'Invalid API key or secret');
export const internalProblem = new PortalProblem(500, 'INTERNAL', 'Internal Server Error', 'Internal server error');

export const notFound = (detail: string): PortalProblem => new PortalProblem(404, 'NOT_FOUND', 'Not Found', detail);

export const invalidInput = (errors: readonly InvalidInput[]): PortalProblem =>
  new PortalProblem(400, 'SCHEMA_VALIDATION', 'Bad Request', 'The request is invalid', errors);
