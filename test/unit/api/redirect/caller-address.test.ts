import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { callerAddresses } from '../../../../api/redirect/redirect-shortcut.ts';

const proxies = ['10.0.0.0/8', '192.168.1.5', '2001:db8::/32'];

function request(address: string, forwarded?: string): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: address });
  const message = new IncomingMessage(socket);
  if (forwarded !== undefined) message.headers['x-forwarded-for'] = forwarded;
  return message;
}

describe('callerAddresses', () => {
  it.each([
    ['203.0.113.9', undefined],
    ['203.0.113.9', '198.51.100.1'],
    ['10.1.2.3', undefined],
    ['10.1.2.3', '198.51.100.1'],
    ['10.1.2.3', 'evil, 198.51.100.1'],
    ['10.1.2.3', '198.51.100.1, 10.9.9.9'],
    ['10.1.2.3', '198.51.100.1, 203.0.113.7, 10.9.9.9'],
    ['192.168.1.5', '10.0.0.1,10.0.0.2'],
    ['192.168.1.6', '198.51.100.1'],
    ['::ffff:10.1.2.3', '198.51.100.1'],
    ['2001:db8::1', '2001:db9::1'],
  ])('returns the same address as Fastify for a request from %s, forwarded for %s', async (address, forwarded) => {
    const app = Fastify({ trustProxy: proxies });
    app.get('/', async ({ ip }) => ip);
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    const seen = await app.inject({ url: '/', remoteAddress: address, headers });
    expect(callerAddresses(proxies)(request(address, forwarded))).toBe(seen.body);
  });

  it('returns the peer address when no proxy is trusted', () =>
    expect(callerAddresses([])(request('203.0.113.9', '198.51.100.1'))).toBe('203.0.113.9'));

  it('returns the address of the last trusted proxy when the forwarded value is not an address', () =>
    expect(callerAddresses(proxies)(request('10.1.2.3', '<script>'))).toBe('10.1.2.3'));
});
