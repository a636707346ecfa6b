/** The errors of the client: each extends `PortalError`. A call that the caller aborts rejects with the signal's reason instead. */

export class PortalError extends Error {
  override readonly name: string = 'PortalError';
}

/** No answer was received: the address is wrong, the service is down, or the connection broke. `cause` is the error of fetch. */
export class PortalConnectionError extends PortalError {
  override readonly name = 'PortalConnectionError';
  readonly method: string;
  readonly url: string;

  constructor({ method, url }: Pick<Request, 'method' | 'url'>, cause: unknown) {
    super(`${method} ${withoutQuery(url)} got no answer: ${reasonOf(cause)}.`, { cause });
    this.method = method;
    this.url = url;
  }
}

/** The time limit of a call or of a wait has passed. */
export class PortalTimeoutError extends PortalError {
  override readonly name = 'PortalTimeoutError';
  readonly timeoutMs: number;

  constructor(message: string, timeoutMs: number) {
    super(message);
    this.timeoutMs = timeoutMs;
  }
}

/** An option or argument is missing or wrong. */
export class InvalidOption extends PortalError {
  override readonly name = 'InvalidOption';
}

/** The answer has another content than the call expects. */
export class UnexpectedAnswer extends PortalError {
  override readonly name = 'UnexpectedAnswer';
}

/** A query may contain personal data, which must not get into logs. */
export const withoutQuery = (url: string): string => url.replace(/\?.*$/s, '');

/** Node.js has the reason in `cause`, such as `ECONNREFUSED`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || ('code' in cause ? String(cause.code) : error.message);
}
