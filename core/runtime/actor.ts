/** Who performed an action recorded in the audit trail. */
export interface Actor {
  /** An API client, a person on the operator pages or the command line, the service at its start, or the person concerned. */
  kind: 'client' | 'operator' | 'command' | 'start' | 'person';
  /** The client's id, the operator's login, the operating system's user name, or the variable that caused it. */
  name: string;
  /** As in the log and in `X-Request-Id`. */
  requestId?: string;
}
