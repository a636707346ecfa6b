/** Who does something that the audit trail keeps. */
export interface Actor {
  /** A client of the API, a person on the pages of operations or at the command line, or the service as it starts. */
  kind: 'client' | 'operator' | 'command' | 'start';
  /** The client's id, the login of operations, or the name of the operating system's user. */
  name: string;
  /** The request's id, as in the log and in `X-Request-Id`. */
  requestId?: string;
}
