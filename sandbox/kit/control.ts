/** Routes below `/control`: faults, data, settings and received requests of every simulated system. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { FaultRule } from './faults.ts';
import type { OpenedSystem } from './open-system.ts';

const DataChange = z.strictObject({ collection: z.string(), change: z.enum(['empty', 'halve', 'reset']) });
const LatestRows = z.strictObject({ limit: z.coerce.number().int().min(1).max(100_000).default(50) });

class ControlError extends Error {
  readonly statusCode: number;
  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** @param systems by name */
export function control(systems: ReadonlyMap<string, OpenedSystem>): FastifyPluginAsync {
  type SystemRequest = FastifyRequest<{ Params: { system: string; collection: string } }>;

  const systemOf = (request: SystemRequest): OpenedSystem => findNamed(systems, request.params.system, 'system');
  const parsed = <Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> => {
    const outcome = schema.safeParse(given ?? {});
    if (outcome.success) return outcome.data;
    throw new ControlError(422, z.prettifyError(outcome.error));
  };

  return async app => {
    // Accepts an empty body with a JSON content type: all members take their defaults.
    app.removeContentTypeParser('application/json');
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
      parseJson(String(body), done),
    );
    app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) =>
      reply.code(error.statusCode ?? 500).send({ error: error.message }),
    );

    app.get('/', () => ({ systems: [...systems.values()].map(describeSystem) }));
    app.get('/:system', (request: SystemRequest) => describeSystem(systemOf(request)));
    app.delete('/:system', (request: SystemRequest, reply: FastifyReply) => {
      systemOf(request).reset();
      return reply.code(204).send();
    });
    app.post('/:system/faults', (request: SystemRequest, reply) => {
      const { faults } = systemOf(request);
      faults.add(parsed(FaultRule, request.body));
      return reply.code(201).send({ faults: faults.pending() });
    });
    app.delete('/:system/faults', (request: SystemRequest, reply: FastifyReply) => {
      systemOf(request).faults.reset();
      return reply.code(204).send();
    });
    app.post('/:system/data', (request: SystemRequest) => {
      const { collection: name, change } = parsed(DataChange, request.body);
      const collection = findNamed(systemOf(request).collections, name, 'collection');
      collection[change]();
      return { collection: name, rows: collection.size };
    });
    app.get('/:system/data/:collection', (request: SystemRequest) => {
      const collection = findNamed(systemOf(request).collections, request.params.collection, 'collection');
      const { limit } = parsed(LatestRows, request.query);
      return { count: collection.size, latest: collection.all().slice(-limit) };
    });
    app.post('/:system/settings', (request: SystemRequest) => {
      const { settings } = systemOf(request);
      // Merges with the current values before parsing: an omitted setting keeps its value instead of its default.
      settings.change(parsed(settings.schema.strict(), { ...settings.current(), ...Object(request.body) }));
      return settings.current();
    });
    app.get('/:system/requests', (request: SystemRequest) => {
      const { requests } = systemOf(request);
      return { ...requests.counts(), requests: requests.latest() };
    });
  };
}

function describeSystem({ name, title, collections, settings, faults }: OpenedSystem): object {
  return {
    name,
    title,
    collections: [...collections.keys()],
    settings: Object.fromEntries(
      Object.entries(settings.current()).map(([key, value]) => [
        key,
        { value, meaning: settings.schema.shape[key]?.description },
      ]),
    ),
    faults: faults.pending(),
  };
}

function findNamed<Item>(items: ReadonlyMap<string, Item>, name: string, kind: string): Item {
  const item = items.get(name);
  if (item) return item;
  throw new ControlError(404, `There is no ${kind} "${name}"; there are: ${[...items.keys()].join(', ')}.`);
}

function parseJson(text: string, done: (error: Error | null, body?: unknown) => void): void {
  try {
    done(null, text === '' ? {} : JSON.parse(text));
  } catch {
    done(new ControlError(400, 'The body is not valid JSON.'));
  }
}
