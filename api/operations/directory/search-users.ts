import { z } from 'zod';
import directorySystem from '../../../core/integrations/directory/system.ts';
import { searchedFields, type UserSearch } from '../../../core/integrations/directory/users.ts';
import { DirectoryUser, DirectoryUserState } from '../../../core/integrations/directory/wire.ts';
import { defineOperation } from '../../http/operation.ts';
import { ListQuery, offsetPage, offsetPageSchema } from '../../http/paging.ts';

const value = z.string().trim().min(1).max(200);

const Search = z
  .object({
    text: value.optional().describe('Part of any of the fields; ignores case.'),
    fields: z
      .array(z.enum(searchedFields), 'must be a list of fields')
      .min(1, 'must name at least one field')
      .max(searchedFields.length, 'must name each field once')
      .default(['username', 'email', 'firstName', 'lastName', 'displayName'])
      .describe('The fields that `text` is searched in.'),
    filter: z
      .object({
        state: DirectoryUserState.optional().describe('State.'),
        username: value.optional().describe('Name to sign in with.'),
        email: value.optional().describe('E-mail address.'),
        firstName: value.optional().describe('First name.'),
        lastName: value.optional().describe('Last name.'),
        displayName: value.optional().describe('Shown name.'),
        employeeNumber: value.optional().describe('Employee number.'),
        department: value.optional().describe('Department.'),
        jobTitle: value.optional().describe('Position.'),
        company: value.optional().describe('Company.'),
        office: value.optional().describe('Place of work.'),
      })
      .optional()
      .describe('Exact values, case-sensitive; all must match.'),
  })
  .refine(({ text, filter }) => text !== undefined || Object.keys(filter ?? {}).length > 0, {
    error: 'must have text, filter or both',
  })
  .meta({ examples: [{ text: 'khan', filter: { department: 'Leasing', state: 'ACTIVATED' } }] });

export default defineOperation({
  summary: 'Search system users of the identity directory by part of a text, by exact values, or both.',
  id: 'directory.searchUsers',
  route: 'POST /apps/directory/v1/users/search',
  scope: 'directory:read',
  request: { query: ListQuery, body: Search },
  answers: {
    200: {
      description: 'A page of users; request the next page with the same body.',
      schema: offsetPageSchema(DirectoryUser),
    },
  },
  calls: [directorySystem],
  handle({ query, body: { text, fields, filter } }, call) {
    const wanted: UserSearch = {
      ...(text !== undefined && { text: { words: text, fields } }),
      ...(filter && { exactly: filter }),
    };
    return offsetPage(query, call, range => directorySystem.client(call.services.systems).searchUsers(wanted, range));
  },
});
