/** Proposes the settings for the chat bot's tables and columns, by their names and types. Reads only the catalogue. */
import { groupBy } from '../../values/group-by.ts';
import { settingLine } from '../kit/proposal.ts';

/** A column that the login may use, in the order of the table. */
export interface TableColumn {
  table: string;
  column: string;
  /** As `information_schema` names it, such as `character varying`. */
  type: string;
}

/** PostgreSQL shows only what the login has a right to. */
export const readColumns = `
  select case table_schema when 'public' then '' else table_schema || '.' end || table_name as table,
    column_name as column, data_type as type
  from information_schema.columns where table_schema not in ('pg_catalog', 'information_schema')
  order by table_schema, table_name, ordinal_position`;

interface NeededColumn {
  words: RegExp;
  types?: RegExp;
}

const number = /^(small|big)?int|numeric/;
const time = /^(timestamp|date)/;

/** In the order of the settings' values. */
const needed = [
  {
    table: 'CHATBOT_USERS_TABLE',
    columns: 'CHATBOT_USER_COLUMNS',
    words: /user|client|customer|contact|account/i,
    wanted: [
      { words: /^(user_?|contact_?|client_?)?u?u?id$/i },
      { words: /crm|bitrix/i },
      { words: /mail/i },
      { words: /phone|mobile|^tel/i },
      { words: /name/i },
      { words: /active|enabled/i, types: /^boolean/ },
    ],
  },
  {
    table: 'CHATBOT_CONVERSATIONS_TABLE',
    columns: 'CHATBOT_CONVERSATION_COLUMNS',
    words: /conversation|chat|dialog|session|thread/i,
    wanted: [
      { words: /user|client|customer|contact|account/i },
      { words: /channel|platform|source/i },
      { words: /start|begin|creat|first/i, types: time },
      { words: /last|update|end/i, types: time },
      { words: /count|messages|total/i, types: number },
    ],
  },
] as const satisfies readonly { table: string; columns: string; words: RegExp; wanted: readonly NeededColumn[] }[];

/** @returns lines for `.env`, with all tables and columns in comments */
export function proposeTables(columns: readonly TableColumn[]): string[] {
  const tables = groupBy(columns, ({ table }) => table);
  return [
    '# Tables and columns that the login may use:',
    ...[...tables].map(
      ([table, found]) => `#   ${table}: ${found.map(({ column, type }) => `${column} (${type})`).join(', ')}`,
    ),
    ...needed.flatMap(({ table, columns: setting, words, wanted }) => {
      const candidates = [...tables]
        .filter(([name]) => words.test(name))
        .map(([name, found]) => ({ name, fitting: fittingColumns(found, wanted) }))
        .sort((one, other) => other.fitting.filter(Boolean).length - one.fitting.filter(Boolean).length);
      const [best] = candidates;
      return [settingLine(table, best?.name), columnsLine(setting, best?.fitting ?? [])];
    }),
  ];
}

/** Each column is proposed for one purpose. */
function fittingColumns(found: readonly TableColumn[], wanted: readonly NeededColumn[]): (string | undefined)[] {
  const used = new Set<string>();
  return wanted.map(({ words, types }) => {
    const fitting = found.find(
      ({ column, type }) => !used.has(column) && words.test(column) && (types?.test(type) ?? true),
    );
    if (fitting) used.add(fitting.column);
    return fitting?.column;
  });
}

function columnsLine(setting: string, columns: readonly (string | undefined)[]): string {
  const isComplete = columns.every(column => column !== undefined);
  if (isComplete) return settingLine(setting, columns.join());
  return `# ${setting}=${columns.map(column => column ?? '?').join()}    (no column has a fitting name and type for ?)`;
}
