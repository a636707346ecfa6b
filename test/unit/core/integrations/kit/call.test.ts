/** Answers of vendors: JSON, pages of HTML, and the schemas of calls. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Call, isHtml, parseAnswer, rawAnswer } from '../../../../../core/integrations/kit/call.ts';

const system = { name: 'crm', title: 'The CRM' };
const answer = (body: string, type?: string, status = 200) =>
  rawAnswer(status, type === undefined ? {} : { 'content-type': type }, Buffer.from(body));

describe('an answer', () => {
  it('is parsed once', () => {
    const given = answer('{"id":7}');
    expect(given.json()).toEqual({ id: 7 });
    expect(given.json()).toBe(given.json());
  });

  it('that is not JSON is undefined', () => expect(answer('{').json()).toBeUndefined());
});

describe('a page of HTML', () => {
  it.each([
    ['{}', 'text/html; charset=utf-8'],
    ['{}', 'application/xhtml html'],
    ['<!doctype html>', undefined],
    ['  <!DOCTYPE html>', 'application/json'],
    ['\n<HTML>', undefined],
  ])('is %j of the type %j', (body, type) => expect(isHtml(answer(body, type))).toBe(true));

  it.each([
    ['{}', 'application/json'],
    ['{"text":"<html>"}', undefined],
    ['[]', 'application/xhtml+json'],
    [`${' '.repeat(200)}<html>`, undefined],
  ])('is not %j of the type %j', (body, type) => expect(isHtml(answer(body, type))).toBe(false));
});

describe('the parsed answer', () => {
  const Lead = z.object({ id: z.int() });
  const callOf = (change: Partial<Call> = {}) =>
    ({ class: 'read', method: 'GET', path: '/leads/7', answer: Lead, ...change }) satisfies Call;

  it('is that of the schema', () =>
    expect(parseAnswer(system, callOf(), answer('{"id":7,"other":1}'))).toEqual({ id: 7 }));

  it('without a body is parsed as undefined', () => {
    expect(parseAnswer(system, callOf({ answer: z.undefined() }), answer(''))).toBeUndefined();
    expect(() => parseAnswer(system, callOf(), answer(''))).toThrow(
      'The CRM returned an answer in an unexpected form: expected object, received undefined.',
    );
  });

  it.each([
    ['read', 'rejected'],
    ['set', 'rejected'],
    ['create', 'unclear'],
  ] as const)('in another form is an error; of a %s it is %s', (callClass, kind) => {
    const parse = () => parseAnswer(system, callOf({ class: callClass }), answer('{"id":"Sara"}', undefined, 201));
    expect(parse).toThrow(
      expect.objectContaining({
        code: 'upstream-failed',
        transient: false,
        failure: {
          kind,
          system: 'crm',
          status: 201,
          call: { operation: 'GET /leads/7', status: 201, at: expect.any(String) },
          message: expect.stringMatching(/^\/leads\/7: (?!.*Sara).*id/s),
        },
      }),
    );
  });
});
