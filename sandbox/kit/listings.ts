/** The firm's listings: one list for the CRM and the listing portal. */
import { once } from './once.ts';
import { type Person, people } from './people.ts';
import { createRandom } from './random.ts';

export interface Listing {
  /** 1 to 400. */
  number: number;
  /** As the portals show it, such as `MP-10017`. */
  reference: string;
  /** Id at the listing portal. */
  portalId: string;
  /** One in five has left the firm. */
  agent: Person;
}

/** The same 400 listings each time. */
export const listings: () => readonly Listing[] = once(makeListings);

function makeListings(): Listing[] {
  const random = createRandom('listings');
  const agents = people().filter(({ brn }) => brn !== undefined);
  return Array.from({ length: 400 }, (_, index) => ({
    number: index + 1,
    reference: `MP-${10_001 + index}`,
    portalId: `01K${random.hex(23).toUpperCase()}`,
    agent: random.pick(agents),
  }));
}
