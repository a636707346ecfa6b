/** Validates a document before it is saved, in the vendor's order of checks. */
import type { Collection } from '../kit/collection.ts';
import { type Doc, doctypes } from './doctypes.ts';
import { FrappeError } from './frappe-error.ts';

export type Documents = ReadonlyMap<string, Collection<Doc>>;

/** @throws FrappeError for the first failed check */
export function checkDoc(doctypeName: string, doc: Doc, documents: Documents): void {
  checkLinks(doctypeName, doc, documents);
  checkValues(doctypeName, doc);
  if (doctypeName === 'Employee') checkEmployee(doc, documents.get('Employee')?.all() ?? []);
  checkMandatory(doctypeName, doc);
}

const fieldsOf = (doctype: string) => Object.entries(doctypes[doctype]?.fields ?? {});
const isEmpty = (value: Doc[string] | undefined): boolean => value === undefined || value === null || value === '';

function checkLinks(doctype: string, doc: Doc, documents: Documents): void {
  const broken = fieldsOf(doctype)
    .filter(([name, { link }]) => link && !isEmpty(doc[name]) && !documents.get(link)?.get(String(doc[name])))
    .map(([name, { label }]) => `${label}: ${doc[name]}`);
  if (broken.length > 0) throw new FrappeError('LinkValidationError', `Could not find ${broken.join(', ')}`);
}

function checkMandatory(doctype: string, doc: Doc): void {
  const missing = fieldsOf(doctype).filter(([name, { required }]) => required && isEmpty(doc[name]));
  if (missing.length === 0) return;
  throw new FrappeError(
    'MandatoryError',
    `[${doctype}, ${doc.name}]: ${missing.map(([name]) => name).join(', ')}`,
    missing.map(([, { label }]) => `Error: Value missing for ${doctype}: <b>${label}</b>`),
  );
}

function checkValues(doctype: string, doc: Doc): void {
  for (const [name, { label, options, kind }] of fieldsOf(doctype)) {
    const value = doc[name];
    if (isEmpty(value)) continue;
    if (Array.isArray(value)) throw new FrappeError('ValidationError', `Value for ${label} cannot be a list`);
    const text = String(value);
    if (options && !options.includes(text)) {
      const list = options.map(option => `"${option}"`).join(', ');
      throw new FrappeError('ValidationError', `${label} cannot be "${text}". It should be one of ${list}`);
    }
    if (kind === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text))
      throw new FrappeError('InvalidEmailAddressError', `<b>${text}</b> is not a valid Email Address`);
    if (kind === 'phone' && !/^[0-9 +_\-,.*#()]{1,20}$/.test(text))
      throw new FrappeError('InvalidPhoneNumberError', `${text} is not a valid Phone Number`);
    if (kind === 'date' && !/^\d{4}-\d{2}-\d{2}$/.test(text))
      throw new FrappeError('ValidationError', `${text} is not a valid date string.`);
  }
}

function checkEmployee(doc: Doc, others: readonly Doc[]): void {
  const reject = (message: string, type: 'ValidationError' | 'DuplicateEntryError' = 'ValidationError') => {
    throw new FrappeError(type, message);
  };
  const { date_of_birth: born, date_of_joining: joined, relieving_date: relieved } = doc;
  if (born && joined && String(born) >= String(joined)) reject('Date of Joining must be greater than Date of Birth');
  if (joined && relieved && String(relieved) < String(joined))
    reject('Relieving Date should be greater than or equal to Date of Joining');
  if (doc.status === 'Left') {
    const reportees = others.filter(other => other.reports_to === doc.name && other.status === 'Active');
    if (reportees.length > 0)
      reject(
        `The following employees are currently still reporting to ${doc.employee_name}: ${reportees.map(({ name }) => name).join(', ')}<br>Please make sure the employees above report to another Active employee.`,
      );
    if (isEmpty(relieved)) reject('Please enter relieving date.');
  }
  if (doc.reports_to === doc.name) reject('Employee cannot report to himself.');
  const sameUser = others.find(
    other => !isEmpty(doc.user_id) && other.user_id === doc.user_id && other.name !== doc.name,
  );
  if (sameUser && doc.status === 'Active')
    reject(`User ${doc.user_id} is already assigned to Employee ${sameUser.name}`, 'DuplicateEntryError');
}
