/** The doctypes (kinds of document) with the fields and rules that responses depend on. */

export type Value = string | number | null;
export type ChildRow = Readonly<Record<string, Value>>;

/** A stored document: values and child tables by field name. */
export type Doc = { name: string } & Record<string, Value | readonly ChildRow[]>;

interface DocField {
  label: string;
  /** The value must be the name of a document of this doctype. */
  link?: string;
  options?: readonly string[];
  required?: true;
  kind?: 'date' | 'email' | 'phone';
}

const standard = {
  name: { label: 'ID' },
  owner: { label: 'Owner' },
  creation: { label: 'Created On' },
  modified: { label: 'Last Updated On' },
  modified_by: { label: 'Last Updated By' },
  docstatus: { label: 'Document Status' },
  idx: { label: 'Index' },
} satisfies Record<string, DocField>;

const employee = {
  naming_series: { label: 'Series' },
  first_name: { label: 'First Name', required: true },
  middle_name: { label: 'Middle Name' },
  last_name: { label: 'Last Name' },
  employee_name: { label: 'Full Name' },
  gender: { label: 'Gender', link: 'Gender', required: true },
  date_of_birth: { label: 'Date of Birth', kind: 'date', required: true },
  date_of_joining: { label: 'Date of Joining', kind: 'date', required: true },
  status: { label: 'Status', options: ['Active', 'Inactive', 'Suspended', 'Left'], required: true },
  company: { label: 'Company', link: 'Company', required: true },
  user_id: { label: 'User ID' },
  employee_number: { label: 'Employee Number' },
  department: { label: 'Department', link: 'Department' },
  designation: { label: 'Designation', link: 'Designation' },
  reports_to: { label: 'Reports to', link: 'Employee' },
  branch: { label: 'Branch', link: 'Branch' },
  cell_number: { label: 'Mobile', kind: 'phone' },
  company_email: { label: 'Company Email', kind: 'email' },
  personal_email: { label: 'Personal Email', kind: 'email' },
  prefered_email: { label: 'Preferred Email' },
  relieving_date: { label: 'Relieving Date', kind: 'date' },
  resignation_letter_date: { label: 'Resignation Letter Date', kind: 'date' },
  image: { label: 'Image' },
  attendance_device_id: { label: 'Attendance Device ID (Biometric/RF tag ID)' },
  // Custom fields of the firm.
  custom_crm_id: { label: 'CRM ID' },
  custom_directory_id: { label: 'Directory ID' },
} satisfies Record<string, DocField>;

const employeeLink = { label: 'Employee', link: 'Employee', required: true } satisfies DocField;

export interface Doctype {
  fields: Readonly<Record<string, DocField>>;
  /** Child tables by field: single documents contain their rows, lists do not. */
  tables?: Readonly<Record<string, ChildTable>>;
  /** Prefix of the naming series. */
  series?: string;
  /** Returns the name of a new document without naming series. */
  nameOf?: (doc: Doc) => string;
}

interface ChildTable {
  doctype: string;
  fields: readonly string[];
}

const employeeTables: Doctype['tables'] = {
  education: {
    doctype: 'Employee Education',
    fields: ['school_univ', 'qualification', 'level', 'year_of_passing', 'class_per', 'maj_opt_subj'],
  },
  external_work_history: {
    doctype: 'Employee External Work History',
    fields: ['company_name', 'designation', 'salary', 'address', 'contact', 'total_experience'],
  },
};

export const doctypes: Readonly<Record<string, Doctype>> = {
  Employee: { fields: { ...standard, ...employee }, tables: employeeTables, series: 'HR-EMP-' },
  Attendance: {
    fields: {
      ...standard,
      employee: employeeLink,
      status: { label: 'Status', options: ['Present', 'Absent', 'On Leave', 'Half Day'], required: true },
      attendance_date: { label: 'Attendance Date', kind: 'date', required: true },
    },
    series: 'HR-ATT-2026-',
  },
  'Leave Application': {
    fields: {
      ...standard,
      employee: employeeLink,
      leave_type: { label: 'Leave Type' },
      from_date: { label: 'From Date', kind: 'date', required: true },
      to_date: { label: 'To Date', kind: 'date', required: true },
    },
    series: 'HR-LAP-2026-',
  },
  Department: {
    fields: {
      ...standard,
      department_name: { label: 'Department', required: true },
      company: { label: 'Company', link: 'Company', required: true },
      parent_department: { label: 'Parent Department' },
      is_group: { label: 'Is Group' },
    },
    nameOf: doc => `${doc.department_name} - ${companyAbbreviation}`,
  },
  Designation: {
    fields: { ...standard, designation_name: { label: 'Designation', required: true } },
    nameOf: doc => String(doc.designation_name),
  },
  Company: {
    fields: { ...standard, company_name: { label: 'Company', required: true }, abbr: { label: 'Abbr' } },
    nameOf: doc => String(doc.company_name),
  },
  'Custom Field': {
    fields: {
      ...standard,
      dt: { label: 'DocType' },
      fieldname: { label: 'Fieldname' },
      label: { label: 'Label' },
      fieldtype: { label: 'Field Type' },
    },
    nameOf: doc => `${doc.dt}-${doc.fieldname}`,
  },
  Gender: { fields: { ...standard, gender: { label: 'Gender' } }, nameOf: doc => String(doc.gender) },
  Branch: { fields: { ...standard, branch: { label: 'Branch' } }, nameOf: doc => String(doc.branch) },
};

export const company = 'Meridian Palm';
export const companyAbbreviation = 'MP';
