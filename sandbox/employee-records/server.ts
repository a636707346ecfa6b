/** The employee records, simulated: the part of ERPNext's REST API (Frappe v15) that employees are kept by. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { callsPerWindow } from '../kit/limits.ts';
import { defineSandboxSystem } from '../kit/sandbox-system.ts';
import type { Doc } from './doctypes.ts';
import { addDocuments } from './documents.ts';
import { errorBody, FrappeError, sendError } from './frappe-error.ts';
import { recordName, seedCompanies, seedEmployees, seedNamed } from './seed.ts';

const token = 'token sandbox:sandbox';

const unwell = (error: FrappeError) => ({ status: error.status, body: errorBody(error) });

/** The vendor's own client names a content type when it deletes, and sends nothing. */
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
      .describe('How many records the next reset of `employees` makes.'),
    hiddenEmployees: z
      .int()
      .min(0)
      .default(0)
      .describe('How many of the last records no list shows, although they are counted.'),
    callsPerMinute: z.int().min(0).default(0).describe('Calls a minute before 429; 0: no limit.'),
  }),
  faults: {
    'error-500': unwell(new FrappeError('InternalServerError', 'Internal Server Error', [])),
    limit: unwell(new FrappeError('TooManyRequestsError', 'Too Many Requests', [])),
    unauthorized: unwell(new FrappeError('AuthenticationError', 'Authentication Required', [])),
  },
  open({ collection, settings, onReset }) {
    const kept = (name: string, seed: () => Doc[]) => collection<Doc>(name, { seed, key: doc => doc.name });
    const documents = new Map([
      ['Employee', kept('employees', () => seedEmployees(settings.employees))],
      ['Department', kept('departments', () => seedNamed('department_name'))],
      ['Designation', kept('designations', () => seedNamed('designation_name'))],
      ['Company', kept('companies', seedCompanies)],
      ['Gender', kept('genders', () => seedNamed('gender'))],
      ['Branch', kept('branches', () => seedNamed('branch'))],
    ]);
    const limit = callsPerWindow(() => ({ calls: settings.callsPerMinute, seconds: 60 }));
    // A naming series never gives a number twice, whatever is deleted.
    let lastNumber = 0;
    onReset(() => {
      lastNumber = 0;
      limit.reset();
    });
    const nextName = (): string => {
      const employees = documents.get('Employee');
      do lastNumber += 1;
      while (employees?.get(recordName(Math.max(lastNumber, settings.employees + 1))));
      lastNumber = Math.max(lastNumber, settings.employees + 1);
      return recordName(lastNumber);
    };

    return async app => {
      acceptEmptyJson(app);
      app.addHook('onRequest', async request => {
        const { authorization } = request.headers;
        if (authorization === undefined)
          throw new FrappeError(
            'PermissionError',
            'You do not have enough permissions to access this resource.',
          );
        if (authorization !== token)
          throw new FrappeError('AuthenticationError', 'Authentication failed', []);
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
            addDocuments(routes, { documents, nextName, hidden: () => settings.hiddenEmployees }),
          { prefix },
        );
    };
  },
});
