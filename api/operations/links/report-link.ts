/** Links to a campaign's report that need no token: signed, and good for a time. Whoever has one can read that report. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ApiServices } from '../../services.ts';

const secretName = 'report-links';

/** The link's own words for what it was signed with. */
export interface ReportTicket {
  campaignId: string;
  /** Seconds since 1970. */
  expires: number;
}

export async function reportLink(
  ticket: ReportTicket,
  services: Pick<ApiServices, 'config' | 'publicUrl' | 'secrets'>,
): Promise<string> {
  const signature = (await sign(ticket, services)).toString('base64url');
  const query = new URLSearchParams({ expires: String(ticket.expires), signature });
  const path = `${services.config.BASE_PATH}/apps/links/v1/campaigns/${ticket.campaignId}/report`;
  return `${services.publicUrl}${path}?${query}`;
}

/** Takes the same time whatever is wrong with the signature. */
export async function isSignedReport(
  ticket: ReportTicket,
  signature: string,
  services: Pick<ApiServices, 'secrets'>,
): Promise<boolean> {
  const [given, right] = [Buffer.from(signature, 'base64url'), await sign(ticket, services)];
  return given.length === right.length && timingSafeEqual(given, right);
}

async function sign(
  { campaignId, expires }: ReportTicket,
  { secrets }: Pick<ApiServices, 'secrets'>,
): Promise<Buffer> {
  return createHmac('sha256', await secrets.get(secretName))
    .update(`${campaignId}\n${expires}`)
    .digest();
}
