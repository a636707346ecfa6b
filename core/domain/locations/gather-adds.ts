/** Brings the additions of several members into one request: it is sent when each has asked for its own or is done. */

import type { Crm } from '../../integrations/crm/client.ts';
import type { AddedLocation, NewCrmLocation } from '../../integrations/crm/locations.ts';
import { ServiceError } from '../../runtime/errors.ts';

type Add = (location: NewCrmLocation) => Promise<number>;

export interface GatheredAdds {
  /** Runs a member's work, which adds at most once. */
  member<T>(work: (add: Add) => Promise<T>): Promise<T>;
}

interface Waiting {
  location: NewCrmLocation;
  resolve: (id: number) => void;
  reject: (error: unknown) => void;
}

/** @param members how many there will be */
export function gatherAdds(members: number, crm: Crm): GatheredAdds {
  const waiting: Waiting[] = [];
  let undecided = members;

  function decided(): void {
    undecided -= 1;
    if (undecided === 0 && waiting.length > 0) void send(crm, waiting);
  }

  return {
    async member(work) {
      let hasAsked = false;
      const add: Add = location =>
        new Promise((resolve, reject) => {
          hasAsked = true;
          waiting.push({ location, resolve, reject });
          decided();
        });
      try {
        return await work(add);
      } finally {
        if (!hasAsked) decided();
      }
    },
  };
}

async function send(crm: Crm, waiting: readonly Waiting[]): Promise<void> {
  let answered: readonly AddedLocation[] = [];
  try {
    await crm.locations.addMany(
      waiting.map(({ location }) => location),
      async added => {
        answered = [...answered, ...added];
      },
    );
  } catch (error) {
    for (const { reject } of waiting.slice(answered.length)) reject(error);
  }
  for (const [index, outcome] of answered.entries()) {
    if ('id' in outcome) waiting[index]?.resolve(outcome.id);
    else waiting[index]?.reject(new ServiceError('invalid-input', outcome.refused));
  }
}
