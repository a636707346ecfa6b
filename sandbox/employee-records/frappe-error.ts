/** Errors in Frappe's format: exception, stack trace and user messages (JSON encoded twice). */
import type { FastifyReply, FastifyRequest } from 'fastify';

const statuses = {
  AuthenticationError: 401,
  PermissionError: 403,
  DoesNotExistError: 404,
  DuplicateEntryError: 409,
  ValidationError: 417,
  MandatoryError: 417,
  LinkValidationError: 417,
  LinkExistsError: 417,
  InvalidEmailAddressError: 417,
  InvalidPhoneNumberError: 417,
  DataError: 417,
  TooManyRequestsError: 429,
  InternalServerError: 500,
} as const;
export type ErrorType = keyof typeof statuses;

export class FrappeError extends Error {
  readonly type: ErrorType;
  readonly status: number;
  /** Shown to users; may contain HTML. */
  readonly messages: readonly string[];

  constructor(type: ErrorType, message: string, messages: readonly string[] = [message]) {
    super(message);
    this.type = type;
    this.status = statuses[type];
    this.messages = messages;
  }
}

export function errorBody({ type, message, messages }: FrappeError): object {
  const exception = `frappe.exceptions.${type}: ${message}`;
  const trace = `Traceback (most recent call last):\n  File "apps/frappe/frappe/app.py", line 114, in application\n${exception}\n`;
  return {
    exception,
    exc_type: type,
    exc: JSON.stringify([trace]),
    ...(messages.length > 0 && {
      _server_messages: JSON.stringify(
        messages.map(text => JSON.stringify({ message: text, title: 'Message', raise_exception: 1 })),
      ),
    }),
  };
}

/** Sends an HTML page unless the client accepts JSON. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: FrappeError): FastifyReply {
  const wantsJson = (request.headers.accept ?? '').includes('application/json');
  reply.code(error.status);
  if (wantsJson) return reply.send(errorBody(error));
  return reply
    .type('text/html; charset=utf-8')
    .send(`<!DOCTYPE html>\n<html><head><title>${error.type}</title></head><body><h1>Server Error</h1></body></html>`);
}
