/** What `npm run client -- …` does: the first client of an installation, and the others from its machine. */
import { parseArgs } from 'node:util';
import type { ClientWithNewSecret, ClientWithSecrets, OauthClients } from '../../core/oauth/clients.ts';
import type { Actor } from '../../core/runtime/actor.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { requireKnownScopes } from '../operations/oauth/client-guard.ts';
import { ClientFields, GracePeriod } from '../operations/oauth/client-resource.ts';

export const usage = `npm run client -- create --name NAME --scopes "pdf jobs:all" [--description TEXT] [--lifetime SECONDS]
npm run client -- list
npm run client -- rotate CLIENT_ID [--grace SECONDS]
npm run client -- deactivate CLIENT_ID

  --scopes    separated by spaces or commas; "all" for every scope
  --lifetime  how long its access tokens live, in seconds (default 3600)
  --grace     how long the old secret works on, in seconds (default 86400; 0: it ends now)
`;

/** The command cannot be done as it stands; `message` says why. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

export interface CommandParts {
  clients: OauthClients;
  /** Those that a client can have. */
  scopes: readonly string[];
  by: Actor;
}

type Options = Partial<Record<'name' | 'description' | 'scopes' | 'lifetime' | 'grace', string>>;

/**
 * @returns what to print
 * @throws CommandError when it cannot be done
 */
export async function runClientCommand(args: readonly string[], parts: CommandParts): Promise<string> {
  const { options, words } = parse(args);
  const [command, clientId, ...more] = words;
  const takesId = command === 'rotate' || command === 'deactivate';
  if (more.length > 0 || (clientId !== undefined) !== takesId) throw new CommandError(usage);
  switch (command) {
    case 'create':
      return create(options, parts);
    case 'list':
      return list(parts);
    case 'rotate':
      return rotate(clientId ?? '', options, parts);
    case 'deactivate':
      return deactivate(clientId ?? '', parts);
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

async function create(options: Options, { clients, scopes, by }: CommandParts): Promise<string> {
  const given = (options.scopes ?? '').split(/[\s,]+/).filter(scope => scope !== '');
  const parsed = ClientFields.safeParse({
    name: options.name ?? '',
    description: options.description,
    scopes: given.includes('all') ? scopes : given,
    tokenLifetimeSeconds: numberOf(options.lifetime),
  });
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${flagOf(path[0])} ${message}`);
    throw new CommandError(`${faults.join('\n')}\n\n${usage}`);
  }
  try {
    requireKnownScopes(parsed.data.scopes, scopes);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new CommandError(
      `--scopes: ${error.faults.map(({ detail }) => detail).join(', ')}\n${error.message}`,
    );
  }
  const unique = [...new Set(parsed.data.scopes)];
  return `The client is made.\n${secretTold(await clients.create({ ...parsed.data, scopes: unique }, by))}`;
}

const flagOf = (field: PropertyKey | undefined): string =>
  field === 'tokenLifetimeSeconds' ? '--lifetime' : `--${String(field)}`;

/** What is no number is left to the schema to refuse. */
const numberOf = (text: string | undefined): unknown =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : text;

async function list({ clients }: CommandParts): Promise<string> {
  const lines: string[] = [];
  let page = await clients.list(200);
  while (page.length > 0) {
    lines.push(
      ...page.map(({ clientId, name, isActive, lastUsedAt, scopes }) =>
        [
          clientId,
          isActive ? 'active  ' : 'inactive',
          lastUsedAt?.toISOString() ?? 'never used',
          name,
          scopes.join(' '),
        ].join('  '),
      ),
    );
    page = await clients.list(200, page.at(-1));
  }
  return lines.length > 0 ? lines.join('\n') : 'There are no clients yet.';
}

async function rotate(clientId: string, { grace }: Options, { clients, by }: CommandParts): Promise<string> {
  const seconds = GracePeriod.safeParse(numberOf(grace));
  if (!seconds.success) throw new CommandError(`--grace ${seconds.error.issues[0]?.message}\n\n${usage}`);
  const rotated = found(await clients.rotateSecret(clientId, seconds.data, by), clientId);
  const old =
    seconds.data === 0 ? 'the old one has ended' : `the old one works on for ${seconds.data} seconds`;
  return `The client has a new secret; ${old}.\n${secretTold(rotated)}`;
}

async function deactivate(clientId: string, { clients, by }: CommandParts): Promise<string> {
  const { name } = found<ClientWithSecrets>(await clients.deactivate(clientId, by), clientId);
  return `The client ${name} is deactivated; its tokens are dead.`;
}

function found<T>(client: T | undefined, clientId: string): T {
  if (client !== undefined) return client;
  throw new CommandError(`There is no client ${clientId}.`);
}

const secretTold = ({ client, clientSecret }: ClientWithNewSecret): string => `
  client id      ${client.clientId}
  client secret  ${clientSecret}
  scopes         ${client.scopes.join(' ')}

The secret is shown this once only: keep it now.`;
