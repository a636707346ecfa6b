import { expect, it } from 'vitest';
import { readTar } from '../../../../../workers/pdf/print/bundled-browser.ts';

/** A POSIX ustar entry: a header block, then the body padded to whole blocks. */
function member(path: string, body: string, type = '0'): Buffer {
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write(type, 156);
  const padded = Buffer.alloc(Math.ceil(body.length / 512) * 512);
  padded.write(body);
  return Buffer.concat([header, padded]);
}

const end = Buffer.alloc(1_024);

it('readTar returns files of any length, but no folders or links', () => {
  const long = 'x'.repeat(512);
  const archive = Buffer.concat([
    member('lib/', '', '5'),
    member('lib/a.so', 'short'),
    member('lib/link.so', '', '2'),
    member('lib/b.so', long),
    end,
  ]);
  const files = readTar(archive).map(({ path, body }) => [path, body.toString()]);
  expect(files).toEqual([
    ['lib/a.so', 'short'],
    ['lib/b.so', long],
  ]);
});

it.each(['../outside', 'lib/../../outside', '/etc/passwd'])('readTar rejects the path %s', path => {
  expect(() => readTar(Buffer.concat([member(path, 'x'), end]))).toThrow(/outside its folder/);
});

it('readTar rejects an invalid header', () => {
  expect(() => readTar(Buffer.alloc(512, 'x'))).toThrow(/no size/);
});
