/** A DNS server on loopback that answers names of the test's own: as it is told, and otherwise the next time if it likes. */
import { createSocket, type RemoteInfo } from 'node:dgram';
import ipaddr from 'ipaddr.js';

/** The addresses of a name; asked anew for each look-up, numbered from 1. */
export type NameAnswer = (lookup: number) => readonly string[];

export interface DnsServer {
  /** `127.0.0.1:port` */
  address: string;
  /** How often a name's IPv4 addresses were asked for. */
  lookups(name: string): number;
  close(): Promise<void>;
}

const recordTypes = { A: 1, AAAA: 28 } as const;

/** @param names what each name answers; any other does not exist */
export async function startDnsServer(names: Readonly<Record<string, NameAnswer>>): Promise<DnsServer> {
  const asked = new Map<string, number>();
  const socket = createSocket('udp4');
  const count = (name: string, type: number): number => {
    const key = `${name} ${type}`;
    asked.set(key, (asked.get(key) ?? 0) + 1);
    return asked.get(key) ?? 0;
  };

  socket.on('message', (query: Buffer, from: RemoteInfo) => {
    const { name, type, end } = readQuestion(query);
    const answer = Object.hasOwn(names, name) ? names[name] : undefined;
    const family = type === recordTypes.A ? 'ipv4' : 'ipv6';
    const addresses = answer?.(count(name, type)).map(text => ipaddr.parse(text)) ?? [];
    const records = addresses.filter(address => address.kind() === family);
    socket.send(
      Buffer.concat([
        header(query, answer === undefined, records.length),
        query.subarray(12, end),
        ...records.map(address => record(type, address.toByteArray())),
      ]),
      from.port,
      from.address,
    );
  });
  await new Promise<void>(bound => socket.bind(0, '127.0.0.1', bound));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    lookups: name => asked.get(`${name} ${recordTypes.A}`) ?? 0,
    close: () => new Promise(closed => socket.close(closed)),
  };
}

/** RFC 1035 section 4.1.2: labels with their lengths before them, then type and class. */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Section 4.1.1: an authoritative answer to one question. */
function header(query: Buffer, isUnknown: boolean, records: number): Buffer {
  const made = Buffer.alloc(12);
  query.copy(made, 0, 0, 2);
  made.writeUInt16BE(0x8580 | (isUnknown ? 3 : 0), 2);
  made.writeUInt16BE(1, 4);
  made.writeUInt16BE(records, 6);
  return made;
}

/** Section 4.1.3: of the name in the question, for no time at all. */
function record(type: number, address: readonly number[]): Buffer {
  const made = Buffer.alloc(12);
  made.writeUInt16BE(0xc00c, 0);
  made.writeUInt16BE(type, 2);
  made.writeUInt16BE(1, 4);
  made.writeUInt16BE(address.length, 10);
  return Buffer.concat([made, Buffer.from(address)]);
}
