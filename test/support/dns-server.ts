/** A DNS server on loopback with names of the test; answers may differ between lookups. */
import { createSocket, type RemoteInfo } from 'node:dgram';
import ipaddr from 'ipaddr.js';

/** Returns the addresses of a name; called for each lookup, numbered from 1. */
export type NameAnswer = (lookup: number) => readonly string[];

export interface DnsServer {
  /** `127.0.0.1:port` */
  address: string;
  /** Number of lookups of the name's IPv4 addresses. */
  lookups(name: string): number;
  close(): Promise<void>;
}

const recordTypes = { A: 1, AAAA: 28 } as const;

/** @param names answers by name; other names do not exist */
export async function startDnsServer(names: Readonly<Record<string, NameAnswer>>): Promise<DnsServer> {
  const lookupCounts = new Map<string, number>();
  const socket = createSocket('udp4');
  const count = (name: string, type: number): number => {
    const key = `${name} ${type}`;
    lookupCounts.set(key, (lookupCounts.get(key) ?? 0) + 1);
    return lookupCounts.get(key) ?? 0;
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
    lookups: name => lookupCounts.get(`${name} ${recordTypes.A}`) ?? 0,
    close: () => new Promise(closed => socket.close(closed)),
  };
}

/** RFC 1035 section 4.1.2: length-prefixed labels, then type and class. */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** RFC 1035 section 4.1.1: an authoritative answer to one question. */
function header(query: Buffer, isUnknown: boolean, records: number): Buffer {
  const bytes = Buffer.alloc(12);
  query.copy(bytes, 0, 0, 2);
  bytes.writeUInt16BE(0x8580 | (isUnknown ? 3 : 0), 2);
  bytes.writeUInt16BE(1, 4);
  bytes.writeUInt16BE(records, 6);
  return bytes;
}

/** RFC 1035 section 4.1.3: a record for the name of the question, with a TTL of 0. */
function record(type: number, address: readonly number[]): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt16BE(0xc00c, 0);
  bytes.writeUInt16BE(type, 2);
  bytes.writeUInt16BE(1, 4);
  bytes.writeUInt16BE(address.length, 10);
  return Buffer.concat([bytes, Buffer.from(address)]);
}
