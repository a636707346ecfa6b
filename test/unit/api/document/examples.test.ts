/** Every request and response in the API document has an example that is valid for the operation's schemas. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { apiDocument } from '../../../../api/document/api-document.ts';
import { OauthFault } from '../../../../api/document/problem-responses.ts';
import { type LoadedOperation, loadOperations } from '../../../../api/http/load-operations.ts';
import { discoverContracts } from '../../../../core/jobs/discover.ts';
import { JobResource } from '../../../../core/jobs/resource.ts';
import { PublicProblem } from '../../../../core/runtime/errors.ts';
import { resolvedResponses } from '../../../support/resolved-responses.ts';

const Media = z.object({
  example: z.json().optional(),
  /** The examples of problems, by code. */
  examples: z.record(z.string(), z.object({ value: z.json() })).optional(),
});
const Content = z.record(z.string(), Media);
const Parameter = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean().optional(),
  example: z.json().optional(),
});
const Described = z.object({
  operationId: z.string(),
  description: z.string(),
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content: Content.optional() })),
});
const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), Described)) });

const operations = await loadOperations();
const contracts = await discoverContracts();
const document = Document.parse(resolvedResponses(apiDocument(operations, [...contracts.values()])));
const described = new Map(
  Object.values(document.paths).flatMap(methods => Object.values(methods).map(each => [each.operationId, each])),
);
const written = /^application\/(?:[\w.-]+\+)?json$|^application\/x-www-form-urlencoded$/;

/** The faults of an example; a missing example is a fault. */
function faultsOf(schema: z.ZodType | undefined, example: unknown): string[] {
  if (example === undefined) return ['has no example'];
  const parsed = schema?.safeParse(example);
  return parsed?.error ? [z.prettifyError(parsed.error)] : [];
}

const mediaOf = (content: z.infer<typeof Content> | undefined) =>
  Object.entries(content ?? {}).flatMap(([type, media]) => (written.test(type) ? [media] : []));

const schemaOf = ({ style, answers }: LoadedOperation, status: number) =>
  answers[status]?.schema ?? (status < 400 ? undefined : style === 'oauth' ? OauthFault : PublicProblem);

it.each(operations.map(operation => [operation.id, operation] as const))('%s has examples', (id, operation) => {
  const { parameters, requestBody, responses } = described.get(id) ?? Described.parse(undefined);
  const needed = parameters.filter(parameter => parameter.required);
  const inputs = (['path', 'query'] as const).flatMap(place => {
    const found = needed.filter(parameter => parameter.in === place);
    const schema = operation.request[place === 'path' ? 'params' : 'query'];
    // Paths and queries are text.
    const example = Object.fromEntries(found.map(({ name, example: value }) => [name, value && String(value)]));
    return found.length === 0 ? [] : faultsOf(schema, example).map(fault => `${place}: ${fault}`);
  });
  const body = mediaOf(requestBody?.content).flatMap(({ example }) =>
    faultsOf(operation.request.body, example).map(fault => `body: ${fault}`),
  );
  const answers = Object.entries(responses).flatMap(([status, { content }]) =>
    mediaOf(content).flatMap(({ example, examples }) =>
      (examples ? Object.values(examples).map(({ value }) => value) : [example]).flatMap(each =>
        faultsOf(schemaOf(operation, Number(status)), each).map(fault => `${status}: ${fault}`),
      ),
    ),
  );
  expect([...inputs, ...body, ...answers]).toEqual([]);
});

it('the example of an ended job has a result of its kind', () => {
  const faults = operations.flatMap(({ id, startsJob, answers }) => {
    const ended = answers[200]?.example;
    if (startsJob === undefined || ended === undefined) return [];
    const { result } = JobResource.parse(ended);
    return faultsOf(contracts.get(startsJob)?.result, result ?? undefined).map(fault => `${id}: ${fault}`);
  });
  expect(faults).toEqual([]);
});

it('descriptions begin with a capital letter and end with a full stop', () => {
  const sentences = [...described.values()].flatMap(({ operationId, description, responses }) => [
    [operationId, description],
    ...Object.entries(responses).map(([status, answer]) => [`${operationId} ${status}`, answer.description]),
  ]);
  expect(sentences.filter(([, text = '']) => !/^[\p{Lu}`].*[.…]$/su.test(text))).toEqual([]);
});
