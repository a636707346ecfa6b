/** Downloads the result of a job, resumes broken downloads, and checks length and SHA-256. */
import { PortalError } from './errors.ts';

export interface Download {
  contentType: string;
  /** The file name that the service suggests. */
  fileName: string | undefined;
  /** In bytes; undefined if the response has no length. */
  size: number | undefined;
  /** The digest of the whole result, in hexadecimal; undefined if the response has no digest. */
  sha256: string | undefined;
  /** Fails when the connection breaks and the download cannot be resumed. Can be read once. */
  body: ReadableStream<Uint8Array>;
  /** The whole result. @throws DamagedDownload when its length or SHA-256 differs from the service's */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}

export class DamagedDownload extends PortalError {
  override readonly name = 'DamagedDownload';
}

const maxResumptions = 3;

/** @param request requests the file again, to resume a broken download; absent: it is not resumed */
export function downloadOf(
  response: Response,
  request?: (headers: Record<string, string>) => Promise<Response>,
  signal?: AbortSignal,
): Download {
  const { headers } = response;
  // A proxy's content encoding invalidates the length and the byte ranges.
  const isEncoded = headers.has('content-encoding');
  const length = headers.get('content-length');
  const size = isEncoded || length === null ? undefined : Number(length);
  const etag = headers.get('etag');
  const resumeFrom =
    etag === null || size === undefined || request === undefined
      ? undefined
      : (from: number) => request({ range: `bytes=${from}-`, 'if-range': etag });
  const sha256 = isEncoded ? undefined : sha256Of(headers);
  const body = resumingBody(response, size, resumeFrom, signal);
  return {
    contentType: headers.get('content-type') ?? 'application/octet-stream',
    fileName: /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1],
    size,
    sha256,
    body,
    async bytes() {
      const bytes = new Uint8Array(await new Response(body).arrayBuffer());
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
      if (sha256 !== undefined && hexadecimal(digest) !== sha256) throw digestMismatch();
      return bytes;
    },
  };
}

export const digestMismatch = (): DamagedDownload =>
  new DamagedDownload('The SHA-256 of the download differs from that of the result. Download it again.');

/** The bytes of the response; continues with a range request after a broken connection. */
function resumingBody(
  response: Response,
  size: number | undefined,
  resumeFrom: ((from: number) => Promise<Response>) | undefined,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  let reader = readerOf(response);
  let received = 0;
  let resumed = 0;

  const next = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await reader.read();
    if (!done) return value;
    if (size === undefined || received === size) return undefined;
    throw new DamagedDownload(`The download ended after ${received} of ${size} bytes.`);
  };
  const resume = async (error: unknown): Promise<void> => {
    if (!resumeFrom || signal?.aborted || resumed >= maxResumptions) throw error;
    resumed += 1;
    const rest = await resumeFrom(received);
    if (rest.status !== 206) throw error;
    reader = readerOf(rest);
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        try {
          const chunk = await next();
          if (chunk === undefined) return controller.close();
          received += chunk.byteLength;
          return controller.enqueue(chunk);
        } catch (error) {
          await resume(error);
        }
      }
    },
    cancel: reason => reader.cancel(reason),
  });
}

function readerOf({ body }: Response): ReadableStreamDefaultReader<Uint8Array> {
  if (body === null) throw new DamagedDownload('The response has no body.');
  return body.getReader();
}

/** RFC 9530: `sha-256=:…:`, in Base64. */
function sha256Of(headers: Headers): string | undefined {
  const digest = /sha-256=:([^:]+):/.exec(headers.get('content-digest') ?? '')?.[1];
  return digest && hexadecimal(Uint8Array.from(atob(digest), character => character.charCodeAt(0)));
}

const hexadecimal = (bytes: Uint8Array): string => [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');
