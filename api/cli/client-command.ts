/** The commands of `npm run client`: create, list, rotate, deactivate and reactivate OAuth clients. */
import { parseArgs } from 'node:util';
import type { ClientWithNewSecret, ClientWithSecrets, OauthClients } from '../../core/oauth/clients.ts';
import type { Actor } from '../../core/runtime/actor.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { GracePeriod } from '../http/input-fields.ts';
import { messageOf } from '../http/input-messages.ts';
import { requireKnownScopes } from '../operations/oauth/client-guard.ts';
import { ClientFields } from '../operations/oauth/client-resource.ts';

export const usage = `npm run client -- create --name NAME --scopes "pdf jobs:all" [--description TEXT] [--lifetime SECONDS]
npm run client -- list
npm run client -- rotate CLIENT_ID [--grace SECONDS]
npm run client -- deactivate CLIENT_ID
npm run client -- reactivate CLIENT_ID

  --scopes    separated by spaces or commas; "all" for every scope
  --lifetime  lifetime of its access tokens in seconds (default 3600)
  --grace     seconds for which the old secret remains valid (default 86400; 0: it expires now)
`;

/** The command is invalid or failed; `message` says why. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

export interface CommandContext {
  clients: OauthClients;
  /** All scopes of the service. */
  scopes: readonly string[];
  by: Actor;
}

type Options = Partial<Record<'name' | 'description' | 'scopes' | 'lifetime' | 'grace', string>>;

/**
 * @returns the text to print
 * @throws CommandError
 */
export async function runClientCommand(args: readonly string[], context: CommandContext): Promise<string> {
  const { options, words } = parse(args);
  const [command, clientId, ...more] = words;
  const needsId = ['rotate', 'deactivate', 'reactivate'].includes(command ?? '');
  if (more.length > 0 || (clientId !== undefined) !== needsId) throw new CommandError(usage);
  switch (command) {
    case 'create':
      return create(options, context);
    case 'list':
      return list(context);
    case 'rotate':
      return rotate(clientId ?? '', options, context);
    case 'deactivate':
      return deactivate(clientId ?? '', context);
    case 'reactivate':
      return reactivate(clientId ?? '', context);
    default:
      throw new CommandError(usage);
  }
}

function parse(args: readonly string[]): { options: Options; words: string[] } {
  const text = { type: 'string' } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { name: text, description: text, scopes: text, lifetime: text, grace: text },
    });
    return { options: values, words: positionals };
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
}

async function create(options: Options, { clients, scopes, by }: CommandContext): Promise<string> {
  const given = (options.scopes ?? '').split(/[\s,]+/).filter(scope => scope !== '');
  const fields = {
    name: options.name ?? '',
    description: options.description,
    scopes: given.includes('all') ? scopes : given,
    tokenLifetimeSeconds: numberOf(options.lifetime),
  };
  const parsed = ClientFields.safeParse(fields, { error: messageOf });
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${flagOf(path[0])} ${message}`);
    throw new CommandError(`${faults.join('\n')}\n\n${usage}`);
  }
  try {
    requireKnownScopes(parsed.data.scopes, scopes);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new CommandError(`--scopes: ${error.faults.map(({ detail }) => detail).join(', ')}\n${error.message}`);
  }
  const unique = [...new Set(parsed.data.scopes)];
  return `Created the client.\n${secretText(await clients.create({ ...parsed.data, scopes: unique }, by))}`;
}

const flagOf = (field: PropertyKey | undefined): string =>
  field === 'tokenLifetimeSeconds' ? '--lifetime' : `--${String(field)}`;

/** Other text is returned unchanged; the schema rejects it. */
const numberOf = (text: string | undefined): unknown =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : text;

async function list({ clients }: CommandContext): Promise<string> {
  const lines: string[] = [];
  for (let page = await clients.list(200); page.length > 0; page = await clients.list(200, page.at(-1))) {
    for (const { clientId, name, isActive, lastUsedAt, scopes } of page) {
      const state = isActive ? 'active  ' : 'inactive';
      const lastUse = lastUsedAt?.toISOString() ?? 'never used';
      lines.push([clientId, state, lastUse, name, scopes.join(' ')].join('  '));
    }
  }
  return lines.length > 0 ? lines.join('\n') : 'There are no clients.';
}

async function rotate(clientId: string, { grace }: Options, { clients, by }: CommandContext): Promise<string> {
  const seconds = GracePeriod.safeParse(numberOf(grace), { error: messageOf });
  if (!seconds.success) throw new CommandError(`--grace ${seconds.error.issues[0]?.message}\n\n${usage}`);
  const rotated = found(await clients.rotateSecret(clientId, seconds.data, by), clientId);
  const old = seconds.data === 0 ? 'the old one has expired' : `the old one expires in ${seconds.data} seconds`;
  return `The client has a new secret; ${old}.\n${secretText(rotated)}`;
}

async function deactivate(clientId: string, { clients, by }: CommandContext): Promise<string> {
  const { name } = found<ClientWithSecrets>(await clients.deactivate(clientId, by), clientId);
  return `Deactivated the client ${name} and revoked its tokens.`;
}

async function reactivate(clientId: string, { clients, by }: CommandContext): Promise<string> {
  const { name } = found<ClientWithSecrets>(await clients.reactivate(clientId, by), clientId);
  return `Reactivated the client ${name}; its secrets are valid again.`;
}

function found<T>(client: T | undefined, clientId: string): T {
  if (client !== undefined) return client;
  throw new CommandError(`There is no client ${clientId}.`);
}

const secretText = ({ clientId, clientSecret, scopes }: ClientWithNewSecret): string => `
  client id      ${clientId}
  client secret  ${clientSecret}
  scopes         ${scopes.join(' ')}

The secret is not shown again: store it now.`;
