/** Creates, changes and deletes users. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Collection } from '../kit/collection.ts';
import { ProjectError } from './project-error.ts';
import type { ProjectUser } from './seed-users.ts';

type UserRequest = FastifyRequest<{ Params: { id: string } }>;

const UserFields = z.object({
  first_name: z.string().min(1, 'is required'),
  last_name: z.string().min(1, 'is required'),
  email: z.email('is not an e-mail address'),
  phone: z
    .string()
    .regex(/^\+\d{7,15}$/, 'is not a phone number')
    .nullable()
    .default(null),
  role: z.enum(['admin', 'editor', 'viewer'], 'is no role'),
  crm_id: z.int().nullable().default(null),
  active: z.boolean().default(true),
});

export function addUserChanges(app: FastifyInstance, users: Collection<ProjectUser>, newId: () => string): void {
  const found = (id: string): ProjectUser => {
    const user = users.get(id);
    if (user) return user;
    throw new ProjectError('not_found', 'No such user');
  };
  const fieldsOf = (body: unknown, ownId?: string): z.infer<typeof UserFields> => {
    const fields = UserFields.safeParse(body);
    if (!fields.success) {
      const wrong = fields.error.issues.map(issue => [String(issue.path[0]), issue.message]);
      throw new ProjectError('validation_failed', 'The user is not valid', Object.fromEntries(wrong));
    }
    const email = fields.data.email.toLowerCase();
    if (users.all().some(user => user.id !== ownId && user.email.toLowerCase() === email))
      throw new ProjectError('duplicate_email', 'A user with this e-mail exists');
    return fields.data;
  };

  app.post('/users', ({ body }, reply) => {
    const user = { id: newId(), ...fieldsOf(body), created_at: new Date().toISOString() };
    users.put(user);
    return reply.code(201).send({ data: user });
  });
  app.put('/users/:id', ({ params, body }: UserRequest) => {
    const user = { ...found(params.id), ...fieldsOf(body, params.id) };
    users.put(user);
    return { data: user };
  });
  app.delete('/users/:id', ({ params }: UserRequest, reply) => {
    users.delete(found(params.id).id);
    return reply.code(204).send();
  });
}
