/** Converts between ERPNext's Employee document and our employee. */
import { z } from 'zod';
import type { EmployeeRecordsConfig } from './config.ts';
import { type Employee, type EmployeeChange, EmployeeFields, EmployeeStatus } from './employee.ts';

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
    const employee = readEmployee(doc, fields);
    if (employee) return { ...employee, department: withoutSuffix(employee.department) };
    context.addIssue({ code: 'custom', message: 'is not an employee: name or status' });
    return z.NEVER;
  });

  return {
    employee: z.object({ data: EmployeeDoc }),
    employees: z.object({ data: z.array(EmployeeDoc) }),
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

const Values = z.record(EmployeeFields.keyof(), text);

/** @returns undefined without a name or a known status */
function readEmployee(doc: z.infer<typeof Doc>, fields: DocFields): Employee | undefined {
  const values = Values.parse(Object.fromEntries(fieldNames.map(name => [name, doc[fields[name] ?? '']])));
  const recordName = text.parse(doc.name);
  const status = EmployeeStatus.safeParse(values.status);
  if (recordName === null || !status.success) return undefined;
  return {
    ...values,
    recordName,
    number: values.employeeNumber ?? recordName,
    firstName: values.firstName ?? '',
    status: status.data,
    modifiedAt: text.parse(doc.modified) ?? '',
  };
}
