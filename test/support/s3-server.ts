/** An S3 server in a process of its own, behind a proxy that can fail as a store or its network does. */
import { type ChildProcess, spawn } from 'node:child_process';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { freePort } from '../../core/runtime/free-port.ts';
import type { Bucket } from '../../core/storage/config.ts';

export interface S3Faults {
  /** So many requests are answered with 503 SlowDown. */
  slowDown: number;
  /** So many connections of reads are cut after half of the body. */
  cutReads: number;
  /** So many connections of writes are cut before an answer. */
  cutWrites: number;
  /** One byte of each body that is read is changed. */
  damageReads: boolean;
}

const none: S3Faults = { slowDown: 0, cutReads: 0, cutWrites: 0, damageReads: false };

const slowDown =
  '<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>';

/** Sets the credentials in the environment of this process. */
export async function startS3Server(folder: string) {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' });
  const port = await freePort();
  const program = path.join(
    path.dirname(createRequire(import.meta.url).resolve('s3rver/package.json')),
    'bin/s3rver.js',
  );
  const preloaded = path.join(import.meta.dirname, 'atomic-s3-writes.cjs');
  const options = [
    '--directory',
    folder,
    '--address',
    '127.0.0.1',
    '--port',
    String(port),
    '--configure-bucket',
    'portal',
  ];
  const start = async (): Promise<ChildProcess> => {
    // It encrypts the token of the next page with DES, which OpenSSL 3 has among its legacy algorithms only.
    const node = ['--openssl-legacy-provider', '--require', preloaded];
    const started = spawn(process.execPath, [...node, program, ...options, '--silent'], { stdio: 'ignore' });
    await waitFor(port);
    return started;
  };
  let server = await start();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = new Promise(resolve => server.once('exit', resolve));
    server.kill(signal);
    await ended;
  };
  const faults = { ...none };
  let requests = 0;

  const proxy = http.createServer((request, response) => {
    requests++;
    if (faults.slowDown > 0) {
      faults.slowDown--;
      request.resume();
      response.writeHead(503, { 'content-type': 'application/xml' }).end(slowDown);
      return;
    }
    const target = { port, method: request.method, path: request.url, headers: request.headers };
    const forwarded = http.request(target, answer => {
      if (request.method === 'PUT' && faults.cutWrites > 0) {
        faults.cutWrites--;
        request.socket.destroy();
        return;
      }
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const body = Buffer.concat(chunks);
        if (request.method === 'GET' && faults.damageReads) body[0] = (body[0] ?? 0) ^ 1;
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        if (request.method !== 'GET' || faults.cutReads === 0) return response.end(body);
        faults.cutReads--;
        response.write(body.subarray(0, body.length / 2), () => request.socket.destroy());
        return undefined;
      });
    });
    forwarded.on('error', () => request.socket.destroy());
    request.pipe(forwarded);
  });
  const proxyPort = await freePort();
  await new Promise<void>(resolve => proxy.listen(proxyPort, '127.0.0.1', resolve));
  const bucket: Bucket = {
    bucket: 'portal',
    prefix: 'results/',
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${proxyPort}`,
    pathStyle: true,
  };

  return {
    bucket,
    url: `s3://portal/results?region=us-east-1&endpoint=${bucket.endpoint}&pathStyle=true`,
    faults,
    requests: () => requests,
    /** Kills it and starts it again after `downMs`. */
    async restart(downMs: number) {
      await end('SIGKILL');
      await new Promise(resolve => setTimeout(resolve, downMs));
      server = await start();
    },
    async stop() {
      proxy.closeAllConnections();
      proxy.close();
      await end('SIGTERM');
    },
  };
}

/** Until it answers. */
async function waitFor(port: number): Promise<void> {
  const until = Date.now() + 20_000;
  for (;;) {
    const isReady = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (isReady) return;
    if (Date.now() > until) throw new Error('the S3 server does not start');
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}
