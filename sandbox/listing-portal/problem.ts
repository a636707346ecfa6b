/** Errors of the listing portal: problem documents with the portal's own types. */
import { STATUS_CODES } from 'node:http';
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
  constructor(status: number, type: string, detail: string, errors?: readonly InvalidInput[]) {
    super(detail);
    this.status = status;
    this.response = {
      status,
      headers: { 'content-type': 'application/problem+json' },
      body: JSON.stringify({ title: STATUS_CODES[status], detail, type, ...(errors && { errors }) }),
    };
  }
}

export const rateLimited = new PortalProblem(429, 'RATE_LIMIT', 'Rate limit exceeded');
export const badToken = new PortalProblem(401, 'AUTHENTICATION', 'The access token is missing, invalid or expired');
export const badCredentials = new PortalProblem(401, 'AUTHENTICATION', 'Invalid API key or secret');
export const internalProblem = new PortalProblem(500, 'INTERNAL', 'Internal server error');

export const notFound = (detail: string): PortalProblem => new PortalProblem(404, 'NOT_FOUND', detail);

export const invalidInput = (errors: readonly InvalidInput[]): PortalProblem =>
  new PortalProblem(400, 'SCHEMA_VALIDATION', 'The request is invalid', errors);
