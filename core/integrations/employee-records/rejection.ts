/** Converts rejections of the employee records to our errors (frappe/exceptions.py has the kinds). */
import { z } from 'zod';
import { type Fault, ServiceError } from '../../runtime/errors.ts';
import { parseJson } from '../../values/parse-json.ts';
import type { RawAnswer } from '../kit/call.ts';
import type { VendorFault } from '../kit/fault.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import type { EmployeeWire } from './wire.ts';

/** A document that links to an employee, such as Attendance HR-ATT-2026-00001. */
export interface LinkedDocument {
  doctype: string;
  name: string;
}

/** The system does not delete an employee to whom a document of any doctype links. */
export class EmployeeLinkedError extends ServiceError {
  /** Undefined if the vendor's text, which may be in another language, could not be parsed. */
  readonly linked: LinkedDocument | undefined;

  constructor(text: string, cause: unknown) {
    const linked = linkedDocumentIn(text);
    const reason = linked ? `${linked.doctype} ${linked.name} links to it.` : text;
    super('conflict', `The employee records do not delete this employee: ${reason}`, { cause });
    this.linked = linked;
  }
}

const json = z.string().transform(parseJson);

const ErrorAnswer = z.object({
  exc_type: z.string().optional(),
  exception: z.string().optional(),
  _server_messages: z.string().optional(),
});

/** Each message is JSON in JSON. */
const Messages = json.pipe(z.array(json.pipe(z.object({ message: z.string() }))));

/** Kind and text of an error; its status decides the rest. */
export function readFault(answer: RawAnswer): VendorFault | undefined {
  const { status } = answer;
  // 401, 429 and 5xx have their common meaning.
  if (status < 400 || status === 401 || status === 429 || status >= 500) return undefined;
  const body = ErrorAnswer.safeParse(answer.json());
  if (!body.success || body.data.exc_type === undefined) return undefined;
  // The text of a rejection may contain names of people.
  return { verdict: 'rejected', code: body.data.exc_type, message: textOf(body.data), isPersonal: true };
}

function textOf({ exception, _server_messages }: z.infer<typeof ErrorAnswer>): string {
  const messages = Messages.safeParse(_server_messages).data?.map(({ message }) => message) ?? [];
  const raised = exception?.replace(/^[\w.]+:\s*/, '') ?? '';
  const text = messages.length > 0 && !raised.startsWith('[') ? messages.join(' ') : raised;
  return (
    text
      // Links contain the names of documents, which may have several words.
      .replace(/<a\s[^<>]*>([^<]*)<\/a>/gi, '“$1”')
      .replace(/<br\s*\/?>/gi, ' ')
      .replace(/<[^<>]*>/g, '')
      // Callers and logs get the text, but no e-mail addresses.
      .replace(/\S{1,64}@\S+/g, '…')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, 500)
  );
}

/**
 * @param sent the fields of the input, by our names
 * @throws ServiceError where the input is at fault; else the error of the call
 */
export async function withRejections<T>(call: Promise<T>, wire: EmployeeWire, sent: object = {}): Promise<T> {
  return await call.catch(error => {
    throw asRejection(error, wire, sent);
  });
}

function asRejection(error: unknown, wire: EmployeeWire, sent: object): unknown {
  if (!(error instanceof UpstreamError)) return error;
  const { status, code = '', message = '' } = error.failure;
  if (status === 409)
    return new ServiceError('conflict', 'The employee records already contain this.', {
      cause: error,
      faults: [{ pointer: '', detail: message }],
    });
  if (status !== 417) return error;
  if (code === 'LinkExistsError') return new EmployeeLinkedError(message, error);
  return new ServiceError('invalid-input', 'The employee records rejected this.', {
    cause: error,
    faults: faultsOf(code, message, wire, sent),
  });
}

function linkedDocumentIn(text: string): LinkedDocument | undefined {
  const [, doctype, name] = /is linked with (\S[^“”]{0,140}) “([^”]{1,140})”/.exec(text) ?? [];
  return doctype === undefined || name === undefined ? undefined : { doctype, name };
}

function faultsOf(code: string, message: string, wire: EmployeeWire, sent: object): Fault[] {
  // “[Employee, HR-EMP-00251]: first_name, gender”
  if (code === 'MandatoryError')
    return faultsAt(message.replace(/^\[.*?\]:\s*/, '').split(/,\s*/), 'must be given', wire);
  // “Could not find Department: Sales, Designation: Agent”
  if (code === 'LinkValidationError') {
    const links = [...message.matchAll(/(?:Could not find |, )([A-Z][\w ]{0,60}?): ([^,]*)/g)];
    const labels = links.map(([, label = '']) => label);
    return faultsAt(labels, 'is not known to the employee records', wire);
  }
  // The text contains the value and not the field.
  if (/is not a valid Email Address/i.test(message))
    return [{ pointer: `/${wrongEmailIn(sent)}`, detail: 'is not an e-mail address' }];
  if (/is not a valid Phone Number/i.test(message))
    return [{ pointer: '/phone', detail: 'is not a phone number that the employee records accept' }];
  // This text contains names of people.
  if (/still reporting to/i.test(message))
    return [{ pointer: '/status', detail: 'cannot be Left while an active employee reports to this one' }];
  const field = wire.fieldNamedIn(message);
  return [{ pointer: field === undefined ? '' : `/${field}`, detail: message || 'is rejected' }];
}

const wrongEmailIn = (sent: object): string =>
  Object.entries(sent).find(
    ([name, value]) => /email/i.test(name) && value && !z.email().safeParse(value).success,
  )?.[0] ?? 'email';

/** @param fields as the error names them; the detail of an unknown field contains that name */
const faultsAt = (fields: readonly string[], detail: string, wire: EmployeeWire): Fault[] =>
  fields.map(name => {
    const field = wire.fieldOf(name);
    return field === undefined ? { pointer: '', detail: `${name} ${detail}` } : { pointer: `/${field}`, detail };
  });
