/** Errors of the CRM: `crm.item.*` methods send a code, legacy methods an empty code and a text. */

export class CrmError extends Error {
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

/** Legacy `crm.*` methods answer 400 with an empty `error`; only the description names the cause. */
export const legacyError = (description: string): CrmError => new CrmError(400, '', description);

export const tooManyRequests = new CrmError(503, 'QUERY_LIMIT_EXCEEDED', 'Too many requests');
export const operationTimeLimit = new CrmError(
  429,
  'OPERATION_TIME_LIMIT',
  'Method is blocked due to operation time limit.',
);
export const noAuthFound = new CrmError(401, 'NO_AUTH_FOUND', 'Wrong authorization data');
export const internalError = new CrmError(500, 'INTERNAL_SERVER_ERROR', 'Internal server error');
export const methodNotFound = new CrmError(404, 'ERROR_METHOD_NOT_FOUND', 'Method not found!');
