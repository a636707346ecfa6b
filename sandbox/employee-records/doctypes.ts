/** The doctypes (kinds of document) with the fields and rules that responses depend on. */

/** A stored document: values by field name. */
export type Doc = { name: string } & Record<string, string | number | null>;

interface DocField {
  label: string;
  /** The value must be the name of a document of this doctype. */
  link?: string;
  options?: readonly string[];
  required?: true;
  kind?: 'date' | 'email';
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
  cell_number: { label: 'Mobile' },
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

export interface Doctype {
  fields: Readonly<Record<string, DocField>>;
  /** Returns the name of a new document; absent: the naming series applies. */
  nameOf?: (doc: Doc) => string;
}

export const doctypes: Readonly<Record<string, Doctype>> = {
  Employee: { fields: { ...standard, ...employee } },
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
  Gender: { fields: { ...standard, gender: { label: 'Gender' } }, nameOf: doc => String(doc.gender) },
  Branch: { fields: { ...standard, branch: { label: 'Branch' } }, nameOf: doc => String(doc.branch) },
};

export const company = 'Meridian Palm';
export const companyAbbreviation = 'MP';
