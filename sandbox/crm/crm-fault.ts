/** How the CRM refuses: the new methods by a code, the old ones by an empty code and a text. */

export class CrmFault extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, description: string) {
    super(description);
    this.status = status;
    this.code = code;
  }
  body(): { error: string; error_description: string } {
    return { error: this.code, error_description: this.message };
  }
}

/** The old `crm.*` methods answer 400 with an empty `error`; only the text tells what is wrong. */
export const oldStyle = (description: string): CrmFault => new CrmFault(400, '', description);

export const tooManyRequests = new CrmFault(503, 'QUERY_LIMIT_EXCEEDED', 'Too many requests');
export const operationTimeLimit = new CrmFault(
  429,
  'OPERATION_TIME_LIMIT',
  'Method is blocked due to operation time limit.',
);
export const noAuthFound = new CrmFault(401, 'NO_AUTH_FOUND', 'Wrong authorization data');
export const internalError = new CrmFault(500, 'INTERNAL_SERVER_ERROR', 'Internal server error');
export const methodNotFound = new CrmFault(404, 'ERROR_METHOD_NOT_FOUND', 'Method not found!');
