import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ZipEntry, zip } from '../../../../workers/pdf/zip.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const python = 'python3';
const hasPython = spawnSync(python, ['-V']).error === undefined;

const files: ZipEntry[] = [
  { name: 'MP-1.pdf', body: Buffer.from('%PDF-1.4 first') },
  { name: 'فيلا.jpg', body: Buffer.alloc(70_000, 'photo') },
  { name: 'empty.txt', body: Buffer.alloc(0) },
];

async function* inOrder() {
  yield* files;
}

async function written() {
  const offsets = new Map<string, number>();
  const parts: Buffer[] = [];
  for await (const part of zip(inOrder(), ({ name }, offset) => offsets.set(name, offset))) parts.push(part);
  return { bytes: Buffer.concat(parts), offsets };
}

describe('a ZIP', () => {
  it.runIf(hasPython)('is read by another program, with checksums and names', async () => {
    const file = path.join(temporaryFolder(), 'files.zip');
    writeFileSync(file, (await written()).bytes);
    const script = `import zipfile,json;z=zipfile.ZipFile(${JSON.stringify(file)});print(json.dumps([z.testzip(),[[i.filename,i.file_size,i.compress_type] for i in z.infolist()]]))`;
    expect(JSON.parse(execFileSync(python, ['-c', script], { encoding: 'utf8' }))).toEqual([
      null,
      files.map(({ name, body }) => [name, body.length, 0]),
    ]);
  });

  it('contains each file unchanged at its offset', async () => {
    const { bytes, offsets } = await written();
    for (const { name, body } of files) {
      const at = offsets.get(name) ?? expect.fail();
      expect(bytes.subarray(at, at + body.length).equals(body)).toBe(true);
    }
  });

  it('has the same bytes for the same files', async () => {
    expect((await written()).bytes.equals((await written()).bytes)).toBe(true);
  });
});
