/** The records that a job is about. */
import { expect, it } from 'vitest';
import { affectedBy } from '../../../../api/admin/affected.ts';
import { invalidInput, problemOf } from '../../../../core/runtime/errors.ts';

const terms = ['MP-S-1', 'MP-S-2', 'MP-S-3', 'MP-S-4', 'MP-S-5'];
const errorAt = (pointer: string) =>
  problemOf(invalidInput([{ pointer, detail: 'is gone' }], 'A photo is gone.'), '/x');

it.each([
  ['the first records of the input and the number of the others', {}, null, terms, 'MP-S-1, MP-S-2, MP-S-3 and 2 more'],
  ['the record that an error points to', {}, errorAt('/list/3/photo/1'), terms, 'MP-S-4'],
  ['all records when the error points to none of them', {}, errorAt('/brand'), terms.slice(0, 1), 'MP-S-1'],
  ['the facts of a payload without input', { what: 'sync', city: 'Dubai' }, null, [], 'sync, city Dubai'],
  ['ids', { crmId: 4711 }, null, [], 'crm id 4711'],
  ['no personal data of a payload', { email: 'jane@house.example', reason: 'Jane left' }, null, [], ''],
  ['nothing of a payload that is no object', null, null, [], ''],
])('are %s', (_, payload, error, given, text) => expect(affectedBy({ payload, error }, given)).toBe(text));
