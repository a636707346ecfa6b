/** Reads the portal's enquiries and the profiles of its agents. */
import type { SystemHttp } from '../kit/http.ts';
import { goodRows } from '../kit/read-rows.ts';
import { incompleteList, type SystemName } from '../kit/upstream-error.ts';
import { LeadsAnswer, type PortalEnquiry, ProfilesAnswer } from './event.ts';

/** The portal's maximum of a page of enquiries. */
const enquiriesPerPage = 50;
const profilesPerPage = 100;
/** The portal rejects a start before three months ago; the shortest three months have 89 days. */
const maxAgeMs = 89 * 86_400_000;

export interface ReadEnquiry {
  id: string;
  createdAt: Date;
  enquiry: PortalEnquiry;
}

export function openEnquiries(http: SystemHttp, system: SystemName) {
  return {
    /** The enquiries created since then, or within three months, the oldest first. @throws UpstreamError */
    async enquiries(since: Date): Promise<ReadEnquiry[]> {
      const createdAtFrom = new Date(Math.max(since.getTime(), Date.now() - maxAgeMs)).toISOString();
      const found = new Map<string, ReadEnquiry>();
      /** Also those that cannot be read. */
      const listed = new Set<string>();
      let total = 0;
      for (let page = 1, totalPages = 1; page <= totalPages; page++) {
        const query = { createdAtFrom, orderBy: 'createdAt', orderDirection: 'asc', page, perPage: enquiriesPerPage };
        const answer = await http.get('/v1/leads', LeadsAnswer, query);
        for (const { id } of answer.data) listed.add(id);
        for (const read of goodRows(answer.data)) found.set(read.id, read);
        ({ total, totalPages } = answer.pagination);
      }
      if (listed.size >= total) return [...found.values()];
      throw incompleteList(system, 'enquiries', { expected: total, received: listed.size });
    },

    /** E-mail by the id of the public profile, of all agents. @throws UpstreamError */
    async profileEmails(): Promise<Map<string, string>> {
      const emails = new Map<string, string>();
      for (let page = 1, totalPages = 1; page <= totalPages; page++) {
        const answer = await http.get('/v1/users', ProfilesAnswer, { page, perPage: profilesPerPage });
        for (const { profileId, email } of goodRows(answer.data))
          if (profileId !== null && email !== null) emails.set(profileId, email.toLowerCase());
        totalPages = answer.pagination.totalPages;
      }
      return emails;
    },
  };
}
