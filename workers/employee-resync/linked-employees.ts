/** Employees to whom other documents link: the records system refuses their deletion. */
import { leavingChange, type OnLinked } from '../../core/domain/employees/employee-view.ts';
import type { Employee } from '../../core/integrations/employee-records/employee.ts';
import { EmployeeLinkedError, type LinkedDocument } from '../../core/integrations/employee-records/rejection.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { unlessRejected } from '../../core/sync/rejected-row.ts';
import { forEachRecord, fullName, type ResyncContext } from './context.ts';
import { levelsFromTop } from './reporting-lines.ts';

export interface LinkedOptions {
  /** Undefined: they are not deleted. */
  onLinked: OnLinked | undefined;
  /** The leaving date of employees set to Left; undefined: the record's date, else today. */
  relievingDate: string | undefined;
}

/**
 * Reports what a deletion of all records would do, linked employees first. One call for each record.
 * @returns the employees who would remain
 */
export async function reportPlannedDeletion(
  context: ResyncContext,
  employees: readonly Employee[],
  options: LinkedOptions,
): Promise<Employee[]> {
  const links = await readLinks(context, employees);
  const { levels, circular } = levelsFromTop(employees);
  const reportsFirst = [...circular, ...[...levels].reverse().flat()];
  const isCircular = new Set(circular);
  const remaining = reportsFirst.filter(employee => {
    const documents = links.get(employee.recordName) ?? [];
    if (documents.length === 0) return false;
    // The manager of an employee who remains cannot be deleted either; circular reporting lines are removed first.
    const ofManager = isCircular.has(employee) ? undefined : links.get(employee.reportsTo ?? '');
    ofManager?.push({ doctype: 'Employee', name: employee.recordName });
    return true;
  });
  const { report } = context;
  for (const employee of remaining) {
    const linked = `${describe(links.get(employee.recordName) ?? [])} to this employee.`;
    const { outcome, text } = plannedForLinked(employee, options);
    report.countRow({ key: employee.number, outcome, reason: `${text}: ${linked}` });
    const reason = `${text}, because other documents link to the employee.`;
    report.planned.push({ outcome, reason, key: employee.number, name: fullName(employee), detail: linked });
  }
  const isRemaining = new Set(remaining);
  for (const employee of reportsFirst.filter(one => !isRemaining.has(one))) {
    const row = { key: employee.number, outcome: 'deleted', reason: 'From the employee records.' } as const;
    report.countRow(row, { name: fullName(employee) });
  }
  return remaining;
}

/** By record name; without reports, which are deleted before their managers. */
async function readLinks(
  context: ResyncContext,
  employees: readonly Employee[],
): Promise<Map<string, LinkedDocument[]>> {
  const links = new Map<string, LinkedDocument[]>();
  await forEachRecord(
    employees,
    context,
    async ({ recordName }) => {
      const documents = await context.records.linkedDocuments(recordName);
      links.set(
        recordName,
        documents.filter(({ doctype }) => doctype !== 'Employee'),
      );
    },
    done => context.job.progress('links', done, employees.length, 20 + (75 * done) / employees.length),
  );
  return links;
}

function describe([first, ...others]: readonly LinkedDocument[]): string {
  const name = first ? `${first.doctype} ${first.name}` : '';
  if (others.length === 0) return `${name} links`;
  return `${name} and ${others.length} other ${others.length === 1 ? 'document' : 'documents'} link`;
}

function plannedForLinked(employee: Employee, { onLinked, relievingDate }: LinkedOptions) {
  if (onLinked !== 'set-left') return { outcome: 'failed', text: 'Not deleted' } as const;
  if (employee.status === 'Left') return { outcome: 'skipped', text: 'Stays Left' } as const;
  const day = leavingChange(employee, relievingDate).relievingDate;
  return { outcome: 'updated', text: `Status Left on ${day}` } as const;
}

export interface Rejection {
  number: string;
  error: ServiceError;
}

/** Deletes a record, or sets its employee to Left. @returns why neither was possible; undefined: done */
export async function deleteOrSetLeft(
  context: ResyncContext,
  employee: Employee,
  { onLinked, relievingDate }: LinkedOptions,
): Promise<Rejection | undefined> {
  const { records, report } = context;
  const { recordName, number: key, status } = employee;
  let rejection: Rejection | undefined;
  const work = async (): Promise<void> => {
    try {
      await records.delete(recordName);
    } catch (error) {
      if (!(error instanceof EmployeeLinkedError) || onLinked !== 'set-left') throw error;
      if (status === 'Left') {
        report.countRow({ key, outcome: 'skipped', reason: `Stays Left. ${error.message}` });
        return;
      }
      const change = leavingChange(employee, relievingDate);
      await records.update(recordName, change);
      const reason = `Set to Left on ${change.relievingDate}. ${error.message}`;
      report.countRow({ key, outcome: 'updated', reason });
    }
  };
  await unlessRejected(key, context, work, async error => {
    rejection = { number: key, error };
  });
  return rejection;
}

const maxFaults = 20;

/** The error of a deletion that changed nothing. */
export function nothingDeleted(rejections: readonly Rejection[]): ServiceError {
  const areLinked = rejections.every(({ error }) => error instanceof EmployeeLinkedError);
  const advice = areLinked
    ? 'Other documents link to all of them: delete these documents first, or send `"onLinked": "set-left"` to set the employees to Left.'
    : 'The reasons are in `errors`.';
  return new ServiceError(
    'conflict',
    `The employee records deleted none of ${rejections.length} employees. ${advice}`,
    {
      faults: rejections
        .slice(0, maxFaults)
        .map(({ number, error }) => ({ pointer: '', detail: `${number}: ${error.message}` })),
    },
  );
}
