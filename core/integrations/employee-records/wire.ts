/** Converts between ERPNext's Employee document and our employee. */
import { z } from 'zod';
import { type RowKind, rowsIn } from '../kit/read-rows.ts';
import type { EmployeeRecordsConfig } from './config.ts';
import { type Employee, type EmployeeChange, EmployeeFields, EmployeeStatus } from './employee.ts';

export const system = { name: 'employee-records', title: 'The employee records system' };
const kind: RowKind = { system, record: 'employee', id: 'name' };

type FieldName = keyof EmployeeFields;
type DocFields = Partial<Record<FieldName, string>>;

export const employeesPath = '/api/resource/Employee';
export const recordPath = (recordName: string): string => `${employeesPath}/${encodeURIComponent(recordName)}`;

const fieldNames = EmployeeFields.keyof().options;

/** Our name → the document's field, and the field's label, by which errors name it. */
const standardFields: Partial<Record<FieldName, readonly [field: string, label: string]>> = {
  employeeNumber: ['employee_number', 'Employee Number'],
  firstName: ['first_name', 'First Name'],
  lastName: ['last_name', 'Last Name'],
  email: ['company_email', 'Company Email'],
  personalEmail: ['personal_email', 'Personal Email'],
  phone: ['cell_number', 'Mobile'],
  gender: ['gender', 'Gender'],
  dateOfBirth: ['date_of_birth', 'Date of Birth'],
  dateOfJoining: ['date_of_joining', 'Date of Joining'],
  relievingDate: ['relieving_date', 'Relieving Date'],
  company: ['company', 'Company'],
  department: ['department', 'Department'],
  designation: ['designation', 'Designation'],
  branch: ['branch', 'Branch'],
  status: ['status', 'Status'],
  reportsTo: ['reports_to', 'Reports to'],
};

const text = z
  .union([z.string(), z.number()])
  .nullish()
  .transform(value => (value === null || value === undefined ? null : String(value).trim() || null));

const standard = fieldNames.flatMap(name => {
  const [field, label] = standardFields[name] ?? [];
  return field === undefined || label === undefined ? [] : [{ name, field, label }];
});

const Doc = z.record(z.string(), z.unknown());

export type EmployeeWire = ReturnType<typeof employeeWire>;

export function employeeWire(config: EmployeeRecordsConfig) {
  const { EMPLOYEE_RECORDS_CRM_ID_FIELD: crmId, EMPLOYEE_RECORDS_DIRECTORY_ID_FIELD: directoryId } = config;
  const fields: DocFields = {
    ...Object.fromEntries(standard.map(({ name, field }) => [name, field])),
    ...(crmId !== undefined && { crmId }),
    ...(directoryId !== undefined && { directoryId }),
  };
  const suffix = config.EMPLOYEE_RECORDS_COMPANY_ABBREVIATION && ` - ${config.EMPLOYEE_RECORDS_COMPANY_ABBREVIATION}`;
  const withoutSuffix = (department: string | null): string | null =>
    suffix && department?.endsWith(suffix) ? department.slice(0, -suffix.length) : department;

  const EmployeeDoc = Doc.transform((doc, context): Employee => {
    const read = readEmployee(doc, fields);
    if ('employee' in read) return { ...read.employee, department: withoutSuffix(read.employee.department) };
    context.addIssue({ code: 'custom', path: [read.wrong], message: read.reason });
    return z.NEVER;
  });

  return {
    employee: z.object({ data: EmployeeDoc }),
    employees: z.object({ data: rowsIn(kind, EmployeeDoc) }),
    fieldNames: ['name', 'modified', ...Object.values(fields)],
    withoutSuffix,
    hasField: (name: FieldName): boolean => fields[name] !== undefined,

    /** The document's fields; leaves out fields that the records do not have. */
    toDoc(employee: EmployeeChange): Record<string, string | null> {
      const given = Object.entries({
        ...employee,
        ...(employee.department && { department: employee.department + suffix }),
      });
      const names = new Map<string, string>(Object.entries(fields));
      return Object.fromEntries(
        given.flatMap(([name, value]) => {
          const field = names.get(name);
          return field === undefined || value === undefined ? [] : [[field, value]];
        }),
      );
    },

    /** Our name of a field that an error names by its label or its document field. */
    fieldOf: (name: string): FieldName | undefined =>
      standard.find(({ label }) => label === name)?.name ?? fieldNames.find(field => fields[field] === name),

    /** Our name of the first field whose label the text contains. */
    fieldNamedIn(message: string): FieldName | undefined {
      const lower = message.toLowerCase();
      const places = standard
        .map(({ name, label }) => ({ name, place: lower.indexOf(label.toLowerCase()) }))
        .filter(({ place }) => place >= 0);
      return places.sort((one, other) => one.place - other.place)[0]?.name;
    },
  };
}

const statuses = EmployeeStatus.options.join(', ');

function readEmployee(
  doc: z.infer<typeof Doc>,
  fields: DocFields,
): { employee: Employee } | { wrong: string; reason: string } {
  const values = z
    .record(EmployeeFields.keyof(), text)
    .safeParse(Object.fromEntries(fieldNames.map(name => [name, doc[fields[name] ?? '']])));
  if (!values.success) {
    const name = fieldNames.find(field => field === values.error.issues[0]?.path[0]);
    return { wrong: (name && fields[name]) ?? 'name', reason: 'must be a text or a number' };
  }
  const recordName = text.safeParse(doc.name).data ?? null;
  if (recordName === null) return { wrong: 'name', reason: 'must be a text' };
  const status = EmployeeStatus.safeParse(values.data.status);
  if (!status.success) return { wrong: 'status', reason: `must be one of ${statuses}` };
  return {
    employee: {
      ...values.data,
      recordName,
      number: values.data.employeeNumber ?? recordName,
      firstName: values.data.firstName ?? '',
      status: status.data,
      modifiedAt: text.safeParse(doc.modified).data ?? '',
    },
  };
}
