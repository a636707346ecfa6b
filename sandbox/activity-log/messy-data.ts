/** Odd entries as real stores have them, served while the setting `messyData` is on; the stored entries stay as they are. */
import { z } from 'zod';

const Hit = z.looseObject({
  _id: z.string(),
  _source: z.looseObject({ event: z.looseObject({}), user: z.looseObject({}) }),
  sort: z.array(z.unknown()).optional(),
});

/** One entry in 50 has no `event.id`, by which it is then sorted as null; one has a list of e-mails. */
export function messyHit(given: object): object {
  const parsed = Hit.safeParse(given);
  if (!parsed.success) return given;
  const { _id, _source, sort } = parsed.data;
  const place = Number(_id.replace(/\D/g, '')) % 50;
  if (place === 7) {
    const { id: _, ...event } = _source.event;
    return { ...given, _source: { ..._source, event }, ...(sort && { sort: [sort[0], null] }) };
  }
  if (place === 8) return { ...given, _source: { ..._source, user: { ..._source.user, email: ['a', 'b'] } } };
  return given;
}
