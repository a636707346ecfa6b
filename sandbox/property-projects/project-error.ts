/** Errors of the project system, by code. */
const statuses = {
  unauthorized: 401,
  not_found: 404,
  duplicate_email: 409,
  file_too_large: 413,
  unsupported_file: 415,
  validation_failed: 422,
  rate_limited: 429,
  internal: 500,
} as const;

export class ProjectError extends Error {
  readonly status: number;
  readonly body: object;

  /** @param fields message by field name */
  constructor(code: keyof typeof statuses, message: string, fields?: Record<string, string>) {
    super(message);
    this.status = statuses[code];
    this.body = { error: { code, message, ...(fields && { fields }) } };
  }
}
