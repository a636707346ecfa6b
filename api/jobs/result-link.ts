/** Links to a result that need no token: signed, and good for a time. Whoever has one can read that result, only that. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ApiServices } from '../services.ts';

const secretName = 'result-links';

type LinkServices = Pick<ApiServices, 'config' | 'publicUrl' | 'secrets'>;

/** The link's own words for what it was signed with. */
export interface ResultTicket {
  jobId: string;
  /** Seconds since 1970. */
  expires: number;
}

export async function resultLink(ticket: ResultTicket, services: LinkServices): Promise<string> {
  const query = new URLSearchParams({
    expires: String(ticket.expires),
    signature: (await sign(ticket, services)).toString('base64url'),
  });
  return `${services.publicUrl}${services.config.BASE_PATH}/results/${ticket.jobId}?${query}`;
}

/** Takes the same time whatever is wrong with the signature. */
export async function isSigned(
  ticket: ResultTicket,
  signature: string,
  services: LinkServices,
): Promise<boolean> {
  const [given, right] = [Buffer.from(signature, 'base64url'), await sign(ticket, services)];
  return given.length === right.length && timingSafeEqual(given, right);
}

async function sign({ jobId, expires }: ResultTicket, { secrets }: LinkServices): Promise<Buffer> {
  return createHmac('sha256', await secrets.get(secretName))
    .update(`${jobId}\n${expires}`)
    .digest();
}
