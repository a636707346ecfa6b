/** Speaks to the running API as a portal does: token, job, progress, file. */
import { z } from 'zod';
import { JobState, Problem, Progress, Warning } from '../job-record.ts';
import type { Service } from './service.ts';

export const DemoJob = z.object({
  id: z.string(),
  state: JobState,
  progress: Progress.nullable(),
  result: z.unknown(),
  error: Problem.nullable(),
  warnings: z.array(Warning),
});
export type DemoJob = z.infer<typeof DemoJob>;

export class DemoClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  private constructor(url: string, accessToken: string) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
  }

  static async connect({ url, logins }: Service): Promise<DemoClient> {
    const id = logins.BOOTSTRAP_CLIENT_ID ?? process.env.BOOTSTRAP_CLIENT_ID ?? '';
    const secret = logins.BOOTSTRAP_CLIENT_SECRET ?? process.env.BOOTSTRAP_CLIENT_SECRET ?? '';
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret,
    });
    const answer = await accepted(await fetch(`${url}/oauth/token`, { method: 'POST', body }));
    const { access_token } = z.object({ access_token: z.string() }).parse(await answer.json());
    return new DemoClient(url, access_token);
  }

  /** Without a body it is a GET: some synchronisations are started so. */
  async submit(path: string, body?: string): Promise<DemoJob> {
    const asked = body === undefined ? { method: 'GET' } : { method: 'POST', body };
    return this.#read(await fetch(this.#url + path, { ...asked, headers: this.#headers }));
  }

  async job(id: string): Promise<DemoJob> {
    return this.#read(await fetch(`${this.#url}/jobs/${id}`, { headers: this.#headers }));
  }

  async result(id: string): Promise<Buffer> {
    const answer = await fetch(`${this.#url}/jobs/${id}/result`, { headers: this.#headers });
    return Buffer.from(await (await accepted(answer)).arrayBuffer());
  }

  async #read(answer: Response): Promise<DemoJob> {
    return DemoJob.parse(await (await accepted(answer)).json());
  }
}

async function accepted(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  throw new Error(`${answer.url} answered ${answer.status}: ${await answer.text()}`);
}
