/** What the employee records refuse, told to the caller as faults of the input (frappe/exceptions.py has the kinds). */
import { z } from 'zod';
import { type Fault as InputFault, ServiceError } from '../../runtime/errors.ts';
import type { RawAnswer } from '../kit/answer.ts';
import type { Fault } from '../kit/fault.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import type { EmployeeWire } from './wire.ts';

const ErrorAnswer = z.object({
  exc_type: z.string().optional(),
  exception: z.string().optional(),
  _server_messages: z.string().optional(),
});

/** Each message is JSON in JSON. */
const Messages = z
  .string()
  .transform(parseJson)
  .pipe(
    z.array(
      z
        .string()
        .transform(parseJson)
        .pipe(z.object({ message: z.string() })),
    ),
  );

/** Kind and sentence of an error; its status tells the rest. */
export function readFrappeFault(answer: RawAnswer): Fault | undefined {
  const { status } = answer;
  // 401, 429 and 5xx mean here what they mean everywhere.
  if (status < 400 || status === 401 || status === 429 || status >= 500) return undefined;
  const body = ErrorAnswer.safeParse(answer.json());
  if (!body.success || body.data.exc_type === undefined) return undefined;
  return { verdict: 'refused', code: body.data.exc_type, message: sentenceOf(body.data) };
}

function sentenceOf({ exception, _server_messages: messages }: z.infer<typeof ErrorAnswer>): string {
  const told = Messages.safeParse(messages).data?.map(({ message }) => message) ?? [];
  const raised = exception?.replace(/^[\w.]+:\s*/, '') ?? '';
  const text = told.length > 0 && !raised.startsWith('[') ? told.join(' ') : raised;
  return (
    text
      .replace(/<br\s*\/?>/gi, ' ')
      .replace(/<[^>]*>/g, '')
      // Sentences reach callers and logs: whose e-mail it is does not.
      .replace(/\S+@\S+/g, '…')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, 500)
  );
}

/**
 * @param sent the fields of the input, by our names
 * @returns an error of ours where the input is at fault; else the error as it came
 */
export function asRefusal(error: unknown, wire: EmployeeWire, sent: object): unknown {
  if (!(error instanceof UpstreamError)) return error;
  const { status, code = '', message = '' } = error.failure;
  if (status === 409)
    return new ServiceError('conflict', 'The employee records have this already.', {
      cause: error,
      faults: [{ pointer: '', detail: message }],
    });
  if (status !== 417) return error;
  if (code === 'LinkExistsError')
    return new ServiceError(
      'conflict',
      'Somebody reports to this employee: change or delete their records first.',
      {
        cause: error,
      },
    );
  return new ServiceError('invalid-input', 'The employee records refuse this.', {
    cause: error,
    faults: faultsOf(code, message, wire, sent),
  });
}

function faultsOf(code: string, message: string, wire: EmployeeWire, sent: object): InputFault[] {
  // “[Employee, HR-EMP-00251]: first_name, gender”
  if (code === 'MandatoryError')
    return faultsAt(message.replace(/^\[.*?\]:\s*/, '').split(/,\s*/), 'must be given', wire);
  // “Could not find Department: Sales, Designation: Agent”
  if (code === 'LinkValidationError') {
    const links = [...message.matchAll(/(?:Could not find |, )([A-Z][\w ]*?): ([^,]*)/g)];
    const labels = links.map(([, label = '']) => label);
    return faultsAt(labels, 'is not known to the employee records', wire);
  }
  // The sentence tells the value, and not its field.
  if (/is not a valid Email Address/i.test(message))
    return [{ pointer: `/${wrongEmailIn(sent)}`, detail: 'is not an e-mail address' }];
  // This one names people.
  if (/still reporting to/i.test(message))
    return [{ pointer: '/status', detail: 'cannot be Left while somebody active reports to this employee' }];
  const field = wire.fieldNamedIn(message);
  return [{ pointer: field === undefined ? '' : `/${field}`, detail: message || 'is refused' }];
}

const wrongEmailIn = (sent: object): string =>
  Object.entries(sent).find(
    ([name, value]) => /email/i.test(name) && value && !z.email().safeParse(value).success,
  )?.[0] ?? 'email';

/** @param said fields as an error calls them; one that is none of ours is told by its own name */
const faultsAt = (said: readonly string[], detail: string, wire: EmployeeWire): InputFault[] =>
  said.map(name => {
    const field = wire.fieldOf(name);
    return field === undefined
      ? { pointer: '', detail: `${name} ${detail}` }
      : { pointer: `/${field}`, detail };
  });

function parseJson(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}
