/** Requests a PDF with little CPU time, which would reduce that of the measured processes. */
import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });

/** @throws Error when the response is not a complete PDF */
export async function requestPdf(url: string, headers: Record<string, string>, body: object): Promise<void> {
  const { status, start, end } = await new Promise<{ status: number; start: string; end: string }>(
    (resolve, reject) => {
      const pdfRequest = request(url, {
        method: 'POST',
        headers: { ...headers, accept: 'application/pdf' },
        agent,
      });
      pdfRequest.once('error', reject);
      pdfRequest.once('response', response => {
        let start = '';
        let end = '';
        response.once('error', reject);
        response.on('data', (chunk: Buffer) => {
          start ||= chunk.toString('latin1', 0, 300);
          end = (end + chunk.toString('latin1', Math.max(0, chunk.length - 300))).slice(-300);
        });
        response.once('end', () => resolve({ status: response.statusCode ?? 0, start, end }));
      });
      pdfRequest.end(JSON.stringify(body));
    },
  );
  if (status !== 200 || !start.startsWith('%PDF-') || !end.trimEnd().endsWith('%%EOF'))
    throw new Error(`${status} ${start}`);
}
