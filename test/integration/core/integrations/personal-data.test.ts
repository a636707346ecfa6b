/** Vendor systems with personal data: their failures log no name, phone or e-mail. */
import { pino } from 'pino';
import { expect, it } from 'vitest';
import directorySystem from '../../../../core/integrations/directory/system.ts';
import employeeRecords from '../../../../core/integrations/employee-records/system.ts';
import { createCallBudgets } from '../../../../core/integrations/kit/call-budget.ts';
import { openIntegrationContext } from '../../../../core/integrations/kit/context.ts';
import propertyProjects from '../../../../core/integrations/property-projects/system.ts';
import { useSandbox } from '../../../support/sandbox.ts';
import { useTestDatabase } from '../../../support/test-database.ts';

const sandbox = useSandbox();
const { database } = await useTestDatabase('personal data');
const lines: string[] = [];
const logger = pino({ level: 'trace' }, { write: line => void lines.push(line) });

it('the log contains calls and failures, and no personal data', async () => {
  const budgets = createCallBudgets(database);
  const context = openIntegrationContext({ env: {}, sandboxUrl: sandbox.url, budgets, logger });
  const directory = directorySystem.client(context);
  const records = employeeRecords.client(context);
  const projects = propertyProjects.client(context);
  const [person] = await directory
    .searchUsers({ exactly: { state: 'ACTIVATED' } }, { offset: 9, limit: 1 })
    .then(({ items }) => items);
  const email = person?.email ?? '';
  const employee = {
    firstName: 'Zubaida',
    lastName: 'Quartermaine',
    email: 'zubaida@',
    gender: 'Female',
    dateOfBirth: '1990-02-03',
    dateOfJoining: '2024-01-15',
    phone: '+971509998877',
  };
  const user = {
    firstName: 'Zubaida',
    lastName: 'Quartermaine',
    email,
    phone: '+971509998877',
    role: 'viewer',
    crmId: null,
    active: true,
  } as const;
  const attempts = [
    () => directory.usersByEmail(email),
    () => records.findByEmail(email),
    () => records.create(employee),
    () => records.update('HR-EMP-00001', { status: 'Left', relievingDate: '2030-01-01' }),
    () => projects.usersByEmail(email),
    () => projects.createUser(user),
    () => projects.createUser(user),
  ];
  const errors: unknown[] = [];
  for (const attempt of attempts) {
    await attempt().catch((error: unknown) => errors.push(error));
  }
  for (const system of ['directory', 'employee-records', 'property-projects']) {
    await sandbox.control.fault(system, { fault: 'unauthorized', times: 3 });
  }
  for (const attempt of attempts) await attempt().catch((error: unknown) => errors.push(error));
  for (const error of errors) logger.error({ err: error }, 'as the API and the workers log it');

  expect(errors.length).toBeGreaterThanOrEqual(6);
  const log = lines.join('');
  expect(log).toContain('vendor call');
  expect(log).not.toMatch(/Zubaida|Quartermaine|zubaida@|9998877|sandbox:sandbox/i);
  expect(log).not.toContain(email);
  expect(log).not.toMatch(/[\w.]+(@|%40)meridianpalm/i);
});
