/**
 * Preloaded into the S3 server (`--require`): an object replaces the earlier one, or is not stored, as S3 promises. The
 * server itself answers before an object is written, and leaves half of one, or of its description, when it is killed; it
 * then answers each list of the bucket with 500.
 */
const { createHash, randomUUID } = require('node:crypto');
const { mkdir, rename, writeFile } = require('node:fs/promises');
const path = require('node:path');
const FilesystemStore = require('s3rver/lib/stores/filesystem.js');

FilesystemStore.prototype.putObject = async function putObject({ bucket, key, content, metadata }) {
  const chunks = [];
  for await (const chunk of Buffer.isBuffer(content) ? [content] : content) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const md5 = createHash('md5').update(body).digest('hex');
  // Outside the prefixes that the service uses.
  const unfinished = `unfinished/${randomUUID()}`;
  const pathOf = (of, part) => this.getResourcePath(bucket, of, part);
  await mkdir(path.dirname(pathOf(unfinished, 'object')), { recursive: true });
  await writeFile(pathOf(unfinished, 'object'), body);
  await this.putMetadata(bucket, unfinished, metadata, md5);
  await mkdir(path.dirname(pathOf(key, 'object')), { recursive: true });
  // The object last: its description alone is not listed.
  for (const part of ['metadata.json', 'object.md5', 'object'])
    await rename(pathOf(unfinished, part), pathOf(key, part));
  return { size: body.length, md5 };
};
