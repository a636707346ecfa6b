/** Replaces references to shared responses of an API document by the responses. */
import { z } from 'zod';

const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ responses: z.record(z.string(), z.unknown()) }))),
  components: z.looseObject({ responses: z.record(z.string(), z.unknown()) }),
});
const Reference = z.object({ $ref: z.string() });

export function resolvedResponses(given: unknown): unknown {
  const document = Document.parse(given);
  for (const methods of Object.values(document.paths))
    for (const { responses } of Object.values(methods))
      for (const [status, response] of Object.entries(responses)) {
        const name = Reference.safeParse(response).data?.$ref.split('/').at(-1);
        if (name !== undefined) responses[status] = document.components.responses[name];
      }
  return document;
}
