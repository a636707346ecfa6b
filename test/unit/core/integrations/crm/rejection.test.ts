/** The CRM's rejections: what exists not, what concerns the input, and what concerns us. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  commandRejected,
  isNotFound,
  optional,
  resultOf,
  withRejectionReason,
} from '../../../../../core/integrations/crm/rejection.ts';
import { plainText } from '../../../../../core/integrations/kit/vendor-text.ts';
import { rejection } from '../../../../support/crm-rest.ts';

describe('a record that does not exist', () => {
  it.each([
    [{ code: 'NOT_FOUND' }, true],
    [{ code: 'NOT_FOUND', message: 'Item' }, true],
    [{ code: '', message: 'Lead is not found' }, true],
    [{ message: 'Not Found' }, true],
    [{ code: 'ERROR_METHOD_NOT_FOUND', message: 'Method not found!' }, false],
    [{ message: 'cannot founder' }, false],
    [{ message: 'is notfound' }, false],
    [{}, false],
  ])('is recognised in %j: %s', (given, expected) => expect(isNotFound(given)).toBe(expected));

  it('is undefined', async () => {
    expect(await optional(Promise.resolve(7))).toBe(7);
    expect(await optional(Promise.reject(rejection('', 'Not found')))).toBeUndefined();
  });

  it.each([rejection('ACCESS_DENIED', 'not yours'), Object.assign(new Error('x'), { failure: { code: 'NOT_FOUND' } })])(
    'is not any other error: %s',
    error => expect(optional(Promise.reject(error))).rejects.toBe(error),
  );
});

describe('the result of a command', () => {
  const schema = z.object({ id: z.int() });

  it('is parsed', () => expect(resultOf({ result: { id: 7 }, total: undefined }, schema)).toEqual({ id: 7 }));

  it('is undefined when there is no such record', () =>
    expect(resultOf({ error: { code: '', message: 'Not found' } }, schema)).toBeUndefined());

  it('is an error when the command failed or was rejected', () => {
    const failure = rejection('X', 'text');
    expect(() => resultOf({ failure }, schema)).toThrow(failure);
    expect(() => resultOf({ error: { code: 'ACCESS_DENIED', message: 'no' } }, schema)).toThrow(
      expect.objectContaining({
        message: 'The CRM rejected a command of a batch: no (ACCESS_DENIED).',
        failure: { kind: 'rejected', system: 'crm', code: 'ACCESS_DENIED', message: 'no' },
      }),
    );
  });

  it('is an error in another form', () =>
    expect(() => resultOf({ result: { id: 'Sara' }, total: undefined }, schema)).toThrow(
      'The CRM returned the result of a command in an unexpected form: id: expected number, received string.',
    ));
});

describe('a rejection of the input', () => {
  const rejected = (code: string, text: string, status?: number) =>
    withRejectionReason(Promise.reject(rejection(code, text, status)));

  it('has the CRM’s reason', async () => {
    const cause = rejection('X', 'Field <b>Title</b> is empty');
    await expect(withRejectionReason(Promise.reject(cause))).rejects.toMatchObject({
      code: 'invalid-input',
      message: 'The CRM does not accept this: Field Title is empty',
      cause,
    });
    await expect(rejected('', 'x')).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it.each([
    ['ACCESS_DENIED', 'no', 400],
    ['', 'Access denied.', 400],
    ['X', '', 400],
    ['X', 'text', 401],
  ])('is none with the code %j, the text %j and the status %i', (code, text, status) =>
    expect(rejected(code, text, status)).rejects.toMatchObject({ code: 'upstream-failed' }),
  );

  it('is none of a success or another error', async () => {
    expect(await withRejectionReason(Promise.resolve(7))).toBe(7);
    const error = Object.assign(new Error('x'), { failure: { status: 400, message: 'text' } });
    await expect(withRejectionReason(Promise.reject(error))).rejects.toBe(error);
  });
});

describe('the text of a reason', () => {
  it.each([
    ['  a<br>\n b <a href="x">c</a> &quot;d&quot; &quot;e&quot;', 'a b c "d" "e"'],
    ['x'.repeat(300), 'x'.repeat(300)],
    ['x'.repeat(301), `${'x'.repeat(300)}…`],
  ])('of %j is plain', (html, text) => expect(plainText(html)).toBe(text));
});

it('a command rejected without a reason has empty texts', () =>
  expect(commandRejected('said no').failure).toMatchObject({ code: '', message: '' }));
