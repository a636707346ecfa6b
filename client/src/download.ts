/** Downloads what a job made, and makes sure that it is whole. */
import type { Service } from './call.ts';
import { problemOf } from './portal-problem.ts';

export interface DownloadOptions {
  signal?: AbortSignal;
}

export interface Download {
  contentType: string;
  /** As the service would name the file. */
  fileName: string | undefined;
  /** In bytes; undefined where it is not told. */
  size: number | undefined;
  /** Of the whole, in hexadecimal; undefined where it is not told. */
  sha256: string | undefined;
  /** Errors when it is cut short and cannot be taken up again. To be read once. */
  body: ReadableStream<Uint8Array>;
  /** All of it. @throws DamagedDownload when its length or its SHA-256 is not what the service told */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}

export class DamagedDownload extends Error {
  override readonly name = 'DamagedDownload';
}

/** A broken download is taken up again where it broke this often. */
const resumptions = 3;

/** @throws PortalProblem such as 409 while there is no result, 410 when it is no longer kept */
export async function downloadResult(
  id: string,
  { baseUrl, fetch }: Service,
  { signal }: DownloadOptions = {},
): Promise<Download> {
  const ask = (headers: Record<string, string>) =>
    fetch(`${baseUrl}/jobs/${encodeURIComponent(id)}/result`, { headers, ...(signal && { signal }) });
  const response = await ask({});
  if (!response.ok) throw await problemOf(response);
  const { headers } = response;
  // What something on the way has packed is neither as long as told nor to be had in parts.
  const isPacked = headers.has('content-encoding');
  const length = headers.get('content-length');
  const size = isPacked || length === null ? undefined : Number(length);
  const etag = headers.get('etag');
  const takeUp =
    etag === null || size === undefined
      ? undefined
      : (from: number) => ask({ range: `bytes=${from}-`, 'if-range': etag });
  const sha256 = isPacked ? undefined : sha256Of(headers);
  const body = wholeBody(response, size, takeUp, signal);
  return {
    contentType: headers.get('content-type') ?? 'application/octet-stream',
    fileName: /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1],
    size,
    sha256,
    body,
    async bytes() {
      const bytes = new Uint8Array(await new Response(body).arrayBuffer());
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
      if (sha256 !== undefined && hexadecimal(digest) !== sha256) throw differs();
      return bytes;
    },
  };
}

export const differs = (): DamagedDownload =>
  new DamagedDownload('The result that came is not the one that the service has: its SHA-256 differs.');

/** The answer's bytes, taken up again where the connection breaks. */
function wholeBody(
  response: Response,
  size: number | undefined,
  takeUp: ((from: number) => Promise<Response>) | undefined,
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
    if (!takeUp || signal?.aborted || resumed >= resumptions) throw error;
    resumed += 1;
    const rest = await takeUp(received);
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
  if (body === null) throw new DamagedDownload('The answer has no body.');
  return body.getReader();
}

/** RFC 9530: `sha-256=:…:`, in Base64. */
function sha256Of(headers: Headers): string | undefined {
  const told = /sha-256=:([^:]+):/.exec(headers.get('content-digest') ?? '')?.[1];
  return told && hexadecimal(Uint8Array.from(atob(told), character => character.charCodeAt(0)));
}

const hexadecimal = (bytes: Uint8Array): string =>
  [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');
