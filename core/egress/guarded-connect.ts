/** Opens connections to checked addresses only: what was checked is what is connected to. */
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { timeBound, untilAborted } from '../runtime/timeout.ts';
import { parseAddress } from './address.ts';
import { type AllowRule, mayConnect } from './allow-rules.ts';
import { portOf } from './check-url.ts';
import { EgressRefused } from './egress-refused.ts';

/** The system's resolver may ask three servers in turn, 5 s each, and cannot be stopped. */
const lookupTimeoutMs = 10_000;

/** All addresses of a name, as text. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** The system's resolver, `/etc/hosts` included. */
export const systemResolve: Resolve = async hostname =>
  (await lookup(hostname, { all: true })).map(found => found.address);

/**
 * A connector for undici. The name is resolved once, every address is checked, and the socket gets these very
 * addresses: no second look-up could answer otherwise (DNS rebinding).
 */
export function guardedConnector(rules: readonly AllowRule[], resolve: Resolve): buildConnector.connector {
  return (options, callback) => {
    checkedAddresses(options.hostname, portOf(options), rules, resolve).then(
      addresses => buildConnector({ lookup: answering(addresses), maxCachedSessions: 0 })(options, callback),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

/**
 * One refused address refuses them all: a public name that also answers with a private address is an attack or a mistake.
 * @throws EgressRefused `address` or `unreachable`
 */
async function checkedAddresses(
  hostname: string,
  port: number,
  rules: readonly AllowRule[],
  resolve: Resolve,
) {
  const found = parseAddress(hostname) ? [hostname] : await resolved(hostname, resolve);
  for (const text of found) {
    const address = parseAddress(text);
    if (!address || !mayConnect(hostname, address, port, rules)) {
      const cause = new Error(
        `${hostname}:${port} is at ${text}, which is neither public nor in EGRESS_ALLOW`,
      );
      throw new EgressRefused('address', 'its server is not on the public internet', { cause });
    }
  }
  return found;
}

async function resolved(hostname: string, resolve: Resolve): Promise<string[]> {
  const bound = timeBound(lookupTimeoutMs);
  const found = await untilAborted(resolve(hostname), bound.signal)
    .catch((cause: unknown) => {
      throw new EgressRefused('unreachable', 'its server’s name is not known', { cause });
    })
    .finally(bound.release);
  if (found.length === 0) throw new EgressRefused('unreachable', 'its server’s name is not known');
  return found;
}

/** A look-up that gives the checked addresses, whatever it is asked. Sockets do not ask at all for a literal address. */
function answering(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_hostname, options, callback) => {
    const first = answers[0];
    if (options.all || !first) callback(null, answers);
    else callback(null, first.address, first.family);
  };
}
