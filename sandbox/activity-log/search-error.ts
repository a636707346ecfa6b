/** Errors in the store's format: type, reason, and the status repeated in the body. */

export class SearchError extends Error {
  readonly status: number;
  readonly type: string;

  constructor(status: number, type: string, reason: string) {
    super(reason);
    this.status = status;
    this.type = type;
  }
}

export function errorBody(status: number, type: string, reason: string): object {
  const cause = { type, reason };
  return { error: { root_cause: [cause], ...cause }, status };
}

export const badQuery = (reason: string): SearchError => new SearchError(400, 'parsing_exception', reason);
