/** Errors of the CRM: `crm.item.*` methods send a code, legacy methods an empty code and a text. */

export class CrmError extends Error {
  readonly status: number;
  readonly code: string;
  /** Unix time in seconds at which a blocked method may run again. */
  readonly resetAt: number | undefined;
  constructor(status: number, code: string, description: string, resetAt?: number) {
    super(description);
    this.status = status;
    this.code = code;
    this.resetAt = resetAt;
  }
  body(): { error: string; error_description: string; time?: object } {
    return {
      error: this.code,
      error_description: this.message,
      ...(this.resetAt !== undefined && { time: { finish: Date.now() / 1000, operating_reset_at: this.resetAt } }),
    };
  }
}

/** Legacy `crm.*` methods answer 400 with an empty `error`; only the description names the cause. */
export const legacyError = (description: string): CrmError => new CrmError(400, '', description);

export const tooManyRequests = new CrmError(503, 'QUERY_LIMIT_EXCEEDED', 'Too many requests');
export const operationTimeLimit = (resetAt: number): CrmError =>
  new CrmError(429, 'OPERATION_TIME_LIMIT', 'Method is blocked due to operation time limit.', resetAt);
export const noAuthFound = new CrmError(401, 'NO_AUTH_FOUND', 'Wrong authorization data');
/** The answers of an account or a webhook that may not be used, by the setting `webhook`. */
export const webhookErrors = {
  expired: new CrmError(401, 'INVALID_CREDENTIALS', 'Invalid request credentials'),
  'not-in-plan': new CrmError(401, 'ACCESS_DENIED', 'REST is available only by subscription'),
};
export const insufficientScope = new CrmError(
  401,
  'insufficient_scope',
  'The request requires higher privileges than provided by the webhook token',
);
export const internalError = new CrmError(500, 'INTERNAL_SERVER_ERROR', 'Internal server error');
export const methodNotFound = new CrmError(404, 'ERROR_METHOD_NOT_FOUND', 'Method not found!');

/** The error of a `command-error` fault. */
export const commandError = ({ code, delayMs }: { code: string; delayMs: number }): CrmError =>
  code === 'OPERATION_TIME_LIMIT'
    ? operationTimeLimit(Math.ceil((Date.now() + delayMs) / 1000))
    : new CrmError(500, code, 'Command failed');
