/** Methods of users and departments; dismissed users are listed unless the caller filters them out. */

import type { CrmData } from '../crm-data.ts';
import { legacyError } from '../crm-error.ts';
import { type Field, legacyValue, type Row } from '../fields.ts';
import { conditionOf } from '../filter.ts';
import { pageOf } from '../list.ts';
import { messyUser } from '../messy-data.ts';
import type { MethodCall, Methods } from '../method.ts';
import { idParameter, mapParameter, type Parameters, parameter } from '../parameters.ts';
import { departmentId, departmentNames } from '../seeds/users.ts';
import { changedRow } from './change-row.ts';

/** @param isMessy whether rows are served in odd forms */
export function userMethods({ users }: CrmData, isMessy: () => boolean): Methods {
  const { byName, all } = users.fields;
  const shown = (row: Row) =>
    Object.fromEntries(all.map(field => [field.name, userValue(field, row)]).filter(([, value]) => value !== null));
  const webhookUser = ({ userId }: MethodCall): Row => {
    const user = users.rows.get(userId);
    if (!user) throw legacyError('Not found');
    return user;
  };

  return {
    'user.get': ({ parameters }) => {
      const matches = conditionOf(filterOf(parameters, byName), {
        findField: name => byName.get(name),
        unknown: () => () => true,
        isItemList: false,
      });
      const { rows, total, next } = pageOf(
        users.rows.all(),
        matches,
        orderOf(parameters),
        name => byName.get(name)?.name,
      );
      const result = rows.map(shown);
      return { result: isMessy() ? result.map(messyUser) : result, total, next };
    },
    'user.current': call => ({ result: shown(webhookUser(call)) }),
    'user.update': ({ parameters, userId }) => {
      const user = users.rows.get(idParameter(parameters, 'ID') ?? 0);
      if (!user) throw legacyError('User not found');
      const given = Object.entries(parameters).flatMap(([name, value]) => {
        const field = byName.get(name);
        return field && name !== 'ID' ? [{ field, value }] : [];
      });
      users.rows.put(changedRow(users, user, given, { userId, onInvalid: () => undefined }));
      return { result: true };
    },
    profile: call => {
      const user = webhookUser(call);
      return {
        result: {
          ID: String(user.ID),
          ADMIN: user.ID === 1,
          NAME: user.NAME,
          LAST_NAME: user.LAST_NAME,
          PERSONAL_GENDER: user.PERSONAL_GENDER,
          TIME_ZONE: user.TIME_ZONE,
        },
      };
    },
    'department.get': () => ({ result: departments(), total: departmentNames.length + 1 }),
  };
}

/** ACTIVE is a JSON boolean; everything else has the legacy format. */
function userValue(field: Field, row: Row): unknown {
  return field.name === 'ACTIVE' ? row.ACTIVE : legacyValue(field, row[field.name]);
}

/** Filter fields may be in FILTER or at the top level, in either case: `user.get?id=5`. */
function filterOf(parameters: Parameters, fields: ReadonlyMap<string, Field>): Parameters {
  const topLevel = Object.entries(parameters)
    .map(([name, value]) => [name.toUpperCase(), value] as const)
    .filter(([name]) => fields.has(name));
  return { ...Object.fromEntries(topLevel), ...mapParameter(parameters, 'filter') };
}

/** `user.get` takes the order as `sort` (field name) and `order` (direction), not as a map. */
function orderOf(parameters: Parameters): Parameters {
  const field = String(parameter(parameters, 'sort') ?? 'ID');
  return { start: parameter(parameters, 'start'), order: { [field]: parameter(parameters, 'order') ?? 'ASC' } };
}

function departments(): Record<string, unknown>[] {
  return [
    { ID: '1', NAME: 'Meridian & Palm', SORT: 500 },
    ...departmentNames.map(name => ({ ID: String(departmentId(name)), NAME: name, SORT: 500, PARENT: '1' })),
  ];
}
