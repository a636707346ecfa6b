/** Finds the CRM user for an enquiry. */
import crmSystem from '../../core/integrations/crm/system.ts';
import type { IntegrationContext } from '../../core/integrations/kit/context.ts';
import type { PortalEnquiry } from '../../core/integrations/listing-portal/event.ts';
import listingPortalSystem from '../../core/integrations/listing-portal/system.ts';

export type Agents = ReturnType<typeof openAgents>;

export function openAgents(systems: IntegrationContext, fallbackUserId: number | undefined) {
  const crm = () => crmSystem.client(systems);
  const users = keptList(async () => (await crm().users.all()).filter(({ active }) => active));
  const profiles = keptList(async () => [...(await listingPortalSystem.client(systems).profileEmails())]);

  /** A dismissed owner is no agent. */
  async function ownerOf(reference: string): Promise<number | undefined> {
    for (const owner of await crm().listings.ownersOf(reference))
      if (await users(({ id }) => id === owner)) return owner;
    return undefined;
  }

  async function userOfProfile(profileId: string): Promise<number | undefined> {
    const [, email] = (await profiles(([id]) => id === profileId)) ?? [];
    return email === undefined ? undefined : (await users(user => user.email?.toLowerCase() === email))?.id;
  }

  return {
    /** The owner of the CRM's listing, else the user with the e-mail of the portal's agent, else the fallback. */
    async agentOf({ listingReference, profileId }: PortalEnquiry): Promise<number | undefined> {
      return (
        (listingReference === null ? undefined : await ownerOf(listingReference)) ??
        (profileId === null ? undefined : await userOfProfile(profileId)) ??
        fallbackUserId
      );
    },
  };
}

const keptMs = 5 * 60_000;
/** A row that is missing in an older list may be new. */
const rereadMs = 30_000;

/** Keeps the list between enquiries, because each read takes several calls. */
function keptList<T>(read: () => Promise<T[]>) {
  let list: T[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return async (isWanted: (row: T) => boolean): Promise<T | undefined> => {
    const age = performance.now() - readAt;
    const kept = age < keptMs ? list.find(isWanted) : undefined;
    if (kept || age < rereadMs) return kept;
    list = await read();
    readAt = performance.now();
    return list.find(isWanted);
  };
}
