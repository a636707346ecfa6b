/** The control surface: the same few calls for every simulated system. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { FaultOrder } from './faults.ts';
import type { OpenedSystem } from './open-system.ts';

const DataOrder = z.strictObject({ collection: z.string(), change: z.enum(['empty', 'halve', 'reset']) });
const LatestRows = z.strictObject({ limit: z.coerce.number().int().min(1).max(100_000).default(50) });

/** What is wrong with a call of /control, in a sentence. */
class ControlRefusal extends Error {
  readonly statusCode: number;
  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** @param systems by name */
export function control(systems: ReadonlyMap<string, OpenedSystem>): FastifyPluginAsync {
  type Asked = FastifyRequest<{ Params: { system: string; collection: string } }>;

  const named = (request: Asked): OpenedSystem => found(systems, request.params.system, 'system');
  const parsed = <Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> => {
    const outcome = schema.safeParse(given ?? {});
    if (outcome.success) return outcome.data;
    throw new ControlRefusal(422, z.prettifyError(outcome.error));
  };

  return async app => {
    // An empty body with a JSON content type is an order that leaves everything to the defaults.
    app.removeContentTypeParser('application/json');
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
      parseJson(String(body), done),
    );
    app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) =>
      reply.code(error.statusCode ?? 500).send({ error: error.message }),
    );

    app.get('/', () => ({ systems: [...systems.values()].map(describeSystem) }));
    app.get('/:system', (request: Asked) => describeSystem(named(request)));
    app.delete('/:system', (request: Asked, reply: FastifyReply) => {
      named(request).reset();
      return reply.code(204).send();
    });
    app.post('/:system/faults', (request: Asked, reply) => {
      const { faults } = named(request);
      faults.order(parsed(FaultOrder, request.body));
      return reply.code(201).send({ faults: faults.pending() });
    });
    app.post('/:system/data', (request: Asked) => {
      const { collection: name, change } = parsed(DataOrder, request.body);
      const collection = found(named(request).collections, name, 'collection');
      collection[change]();
      return { collection: name, rows: collection.size };
    });
    app.get('/:system/data/:collection', (request: Asked) => {
      const collection = found(named(request).collections, request.params.collection, 'collection');
      const { limit } = parsed(LatestRows, request.query);
      return { count: collection.size, latest: collection.all().slice(-limit) };
    });
    app.post('/:system/settings', (request: Asked) => {
      const { settings } = named(request);
      // Parsed whole, so that what is not named keeps its value, not its default.
      settings.change(parsed(settings.schema.strict(), { ...settings.current(), ...Object(request.body) }));
      return settings.current();
    });
    app.get('/:system/requests', (request: Asked) => {
      const { requests } = named(request);
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

function found<Thing>(things: ReadonlyMap<string, Thing>, name: string, kind: string): Thing {
  const thing = things.get(name);
  if (thing) return thing;
  throw new ControlRefusal(
    404,
    `There is no ${kind} "${name}"; there are: ${[...things.keys()].join(', ')}.`,
  );
}

function parseJson(text: string, done: (error: Error | null, body?: unknown) => void): void {
  try {
    done(null, text === '' ? {} : JSON.parse(text));
  } catch {
    done(new ControlRefusal(400, 'The body is no JSON.'));
  }
}
