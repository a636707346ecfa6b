/** Permits as the listing portal has them, cached in this process. */
import { LRUCache } from 'lru-cache';
import { withSharedContext } from '../../integrations/kit/call-context.ts';
import type { IntegrationContext } from '../../integrations/kit/context.ts';
import listingPortal, { type PermitKey } from '../../integrations/listing-portal/system.ts';
import type { Permit } from '../../integrations/listing-portal/wire.ts';

export interface PermitSource {
  /** False while no listing portal is configured. */
  isConfigured: boolean;
  /** @returns undefined when the portal has no such permit @throws UpstreamError */
  find(key: PermitKey): Promise<Permit | undefined>;
}

/** Permits change when they are renewed or corrected. */
const foundMs = 6 * 3_600_000;
/** A new permit reaches the portal within minutes; so long is also an old record used while the portal is down. */
const retryMs = 5 * 60_000;
const maxPermits = 20_000;

const sources = new WeakMap<IntegrationContext, PermitSource>();

/** The source of the process: all jobs and requests share its cache. */
export function permitsOf(systems: IntegrationContext): PermitSource {
  const source = sources.get(systems) ?? openPermits(systems);
  sources.set(systems, source);
  return source;
}

function openPermits(systems: IntegrationContext): PermitSource {
  const isConfigured = systems.sourceOf(listingPortal.configuredBy) !== 'none';
  const permits = new LRUCache<string, { permit: Permit | undefined }, PermitKey>({
    max: maxPermits,
    ttl: foundMs,
    perf: Date,
    async fetchMethod(_key, stale, { options, context }) {
      const found = await withSharedContext(() => listingPortal.client(systems).permit(context)).then(
        permit => ({ permit }),
        (error: unknown) => {
          // While the portal is down, an earlier record is better than none.
          if (stale?.permit) return stale;
          throw error;
        },
      );
      if (found === stale || found.permit === undefined) options.ttl = retryMs;
      return found;
    },
  });
  return {
    isConfigured,
    async find(key) {
      const { permitNumber, licenceNumber, permitType } = key;
      const found = await permits.fetch([permitType, licenceNumber, permitNumber].join(' '), { context: key });
      return found?.permit;
    },
  };
}
