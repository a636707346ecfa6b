/** multipart/form-data with one file in the field `file` (RFC 7578), read into memory with size limits. */
import { hash } from 'node:crypto';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { codeOf } from '../../core/runtime/error-code.ts';
import { ServiceError } from '../../core/runtime/errors.ts';

export const maxFileBytes = 10 * 1024 * 1024;

/** File name and media type are omitted: they are unverified claims of the client. */
class UploadedFile {
  readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** For the request fingerprint of `Idempotency-Key`. */
  toJSON(): string {
    return hash('sha256', this.bytes, 'hex');
  }
}

/** Body schema of an operation with `style: 'file'`. */
export const FileForm = z.object(
  {
    file: z
      .instanceof(UploadedFile, { error: 'must be a file' })
      .describe('The file.')
      .meta({ type: 'string', format: 'binary' }),
  },
  { error: 'must be a form (multipart/form-data) with the field file' },
);

export async function acceptMultipart(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(multipart, {
    limits: { fileSize: maxFileBytes, files: 1, fields: 20, fieldSize: 10_000, parts: 21, headerPairs: 20 },
  });
  app.addHook('preValidation', async request => {
    if (request.isMultipart()) request.body = await readForm(request);
  });
}

async function readForm(request: FastifyRequest): Promise<Record<string, unknown>> {
  const form: Record<string, unknown> = {};
  try {
    for await (const part of request.parts()) {
      form[part.fieldname] = part.type === 'file' ? new UploadedFile(await part.toBuffer()) : part.value;
    }
    return form;
  } catch (error) {
    throw rejectionOf(error);
  }
}

function rejectionOf(error: unknown): ServiceError {
  const code = codeOf(error);
  if (code === 'FST_REQ_FILE_TOO_LARGE')
    return new ServiceError('payload-too-large', `The file is larger than ${maxFileBytes / 1024 / 1024} MB.`);
  if (code === 'FST_FILES_LIMIT' || code === 'FST_PARTS_LIMIT' || code === 'FST_FIELDS_LIMIT')
    return new ServiceError('payload-too-large', 'The form has too many parts; send one file.');
  return new ServiceError('bad-request', 'The form cannot be read; send complete multipart/form-data.', {
    cause: error,
  });
}
