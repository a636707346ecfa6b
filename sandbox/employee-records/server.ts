/** Simulates the employee records: employees and their linked documents in ERPNext's REST API (Frappe v15). */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { callsPerWindow } from '../kit/limits.ts';
import { defineSandboxSystem } from '../kit/sandbox-system.ts';
import type { Doc } from './doctypes.ts';
import { addDocuments } from './documents.ts';
import { errorBody, FrappeError, sendError } from './frappe-error.ts';
import { seedAttendance, seedCompanies, seedCustomFields, seedEmployees, seedLinked, seriesName } from './seed.ts';

const token = 'token sandbox:sandbox';

const faultResponse = (error: FrappeError) => ({ status: error.status, body: errorBody(error) });

/** Accepts an empty JSON body: the vendor's client sends a content type with DELETE but no body. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('ignore', 'ignore');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null, undefined) : parse(request, String(body), done),
  );
}

export default defineSandboxSystem({
  title: 'Employee records (ERPNext)',
  settings: z.object({
    employees: z
      .int()
      .min(10)
      .max(20_000)
      .default(250)
      .describe('Number of records after the next reset of `employees`.'),
    hiddenEmployees: z
      .int()
      .min(0)
      .default(0)
      .describe('Number of the last records that lists omit although they are counted.'),
    linkedEmployees: z
      .int()
      .min(0)
      .default(0)
      .describe('Number of the first employees with an attendance document after the next reset of `attendance`.'),
    messyData: z.boolean().default(false).describe('Whether rows are served in odd forms, as real accounts have them.'),
    callsPerMinute: z.int().min(0).default(0).describe('Calls per minute before 429; 0: no limit.'),
  }),
  faults: {
    'error-500': faultResponse(new FrappeError('InternalServerError', 'Internal Server Error', [])),
    limit: faultResponse(new FrappeError('TooManyRequestsError', 'Too Many Requests', [])),
    unauthorized: faultResponse(new FrappeError('AuthenticationError', 'Authentication Required', [])),
  },
  open({ collection, settings, onReset }) {
    const docCollection = (name: string, seed: () => Doc[]) => collection<Doc>(name, { seed, key: doc => doc.name });
    const documents = new Map([
      ['Employee', docCollection('employees', () => seedEmployees(settings.employees))],
      [
        'Attendance',
        docCollection('attendance', () => seedAttendance(seedEmployees(settings.employees), settings.linkedEmployees)),
      ],
      ['Leave Application', docCollection('leaveApplications', () => [])],
      ['Department', docCollection('departments', () => seedLinked('department_name'))],
      ['Designation', docCollection('designations', () => seedLinked('designation_name'))],
      ['Company', docCollection('companies', seedCompanies)],
      ['Custom Field', docCollection('customFields', seedCustomFields)],
      ['Gender', docCollection('genders', () => seedLinked('gender'))],
      ['Branch', docCollection('branches', () => seedLinked('branch'))],
    ]);
    const limit = callsPerWindow(() => ({ calls: settings.callsPerMinute, seconds: 60 }));
    // A naming series never reuses a number, even after a deletion.
    const lastNumbers = new Map<string, number>();
    onReset(() => {
      lastNumbers.clear();
      limit.reset();
    });
    const nextName = (doctypeName: string): string => {
      const seeded = { Employee: settings.employees, Attendance: settings.linkedEmployees };
      let number = Math.max(lastNumbers.get(doctypeName) ?? 0, new Map(Object.entries(seeded)).get(doctypeName) ?? 0);
      do number += 1;
      while (documents.get(doctypeName)?.get(seriesName(doctypeName, number)));
      lastNumbers.set(doctypeName, number);
      return seriesName(doctypeName, number);
    };

    return async app => {
      acceptEmptyJson(app);
      app.addHook('onRequest', async request => {
        const { authorization } = request.headers;
        if (authorization === undefined)
          throw new FrappeError('PermissionError', 'You do not have enough permissions to access this resource.');
        if (authorization !== token) throw new FrappeError('AuthenticationError', 'Authentication failed', []);
        if (settings.callsPerMinute > 0 && !limit.take(token))
          throw new FrappeError('TooManyRequestsError', 'Too Many Requests', []);
      });
      app.setErrorHandler((error: Error, request, reply) =>
        sendError(
          request,
          reply,
          error instanceof FrappeError ? error : new FrappeError('ValidationError', error.message),
        ),
      );
      app.setNotFoundHandler((request, reply) =>
        sendError(request, reply, new FrappeError('DoesNotExistError', 'Not Found', [])),
      );
      for (const prefix of ['/api', '/api/v1'])
        await app.register(
          async routes =>
            addDocuments(routes, {
              documents,
              nextName,
              hidden: () => settings.hiddenEmployees,
              isMessy: () => settings.messyData,
            }),
          { prefix },
        );
    };
  },
});
