/** Example jobs of the API document, of the operation's job kind and in the state of the answer. */
import { z } from 'zod';
import type { JobContract } from '../../core/jobs/contract.ts';
import { JobResource } from '../../core/jobs/resource.ts';
import { exampleOf } from '../document/examples.ts';

const [example] = z.array(JobResource).parse(JobResource.meta()?.examples);
if (!example) throw new Error('the job resource has no example');
const ended: JobResource = example;

export const jobExample = (state: 'queued' | 'cancelled'): JobResource => ({
  ...ended,
  state,
  result: null,
  resultExpiresAt: null,
  links: { self: ended.links.self, events: ended.links.events },
  ...(state === 'queued' && {
    progress: null,
    startedAt: null,
    finishedAt: null,
    attempts: { made: 0, max: 4 },
  }),
  ...(state === 'cancelled' && { progress: { stage: 'photos', done: 3, total: 9, percent: 20 } }),
});

export const acceptedExample = (job: JobContract): JobResource => ofKind(job, jobExample('queued'));

/** With the example result of the contract; null when it has none. */
export const endedExample = (job: JobContract): JobResource =>
  ofKind(job, { ...ended, result: resultExample(job) ?? null });

function ofKind({ kind, attempts }: JobContract, example: JobResource): JobResource {
  const named = (text: string): string => text.replaceAll(ended.id, ended.id.replace(/^[^_]+/, kind));
  const links = Object.entries(example.links).map(([name, link]) => [name, link && named(link)]);
  return JobResource.parse({
    ...example,
    id: named(example.id),
    kind,
    attempts: { ...example.attempts, max: attempts },
    links: Object.fromEntries(links),
  });
}

function resultExample({ result }: JobContract) {
  const { $defs, ...schema } = Schema.parse(z.toJSONSchema(result, { unrepresentable: 'any' }));
  return exampleOf(schema, $defs);
}

const Json = z.record(z.string(), z.json());
const Schema = Json.and(z.object({ $defs: Json.default({}) }));
