/** A notification to operators, and the message in which its receivers get it. */
import { z } from 'zod';
import { beforeAndAfter, PlaceOfChanges } from '../jobs/planned-effect.ts';
import { dubaiDayOf, dubaiTimeOf } from '../values/dubai-time.ts';

export type Channel = 'mail' | 'webhook';

/** Its texts contain no personal data. */
export interface Notification {
  /** Further notifications with the same topic are counted, and sent together at most once an hour. */
  topic: string;
  /** What happened, as the subject of a mail. */
  title: string;
  detail: string;
  /** The page that shows it, below `/ops`. */
  path: string;
  /** What the release of a held run would change. */
  places?: PlaceOfChanges[] | undefined;
}

/** Body of the webhook. */
export const NotificationMessage = z
  .object({
    type: z.literal('notification'),
    timestamp: z.iso.datetime().describe('When the message was written.'),
    data: z
      .object({
        title: z.string().describe('What happened.'),
        detail: z.string().describe('The reasons; may be empty.'),
        count: z.int().min(1).describe('How often it happened since `since`; title and detail are of the last time.'),
        since: z.iso.datetime().describe('When it happened first.'),
        url: z.url().describe('The operations page that shows it.'),
        places: z
          .array(PlaceOfChanges)
          .optional()
          .describe('What the release of a held run would change; absent otherwise.'),
      })
      .describe('What is reported.'),
  })
  .meta({ id: 'NotificationMessage' });
export type NotificationMessage = z.infer<typeof NotificationMessage>;

const momentText = (iso: string): string => `${dubaiDayOf(new Date(iso))} ${dubaiTimeOf(new Date(iso))} (Dubai)`;

/** Data of the mail's template. */
export function mailView({ timestamp, data: { title, detail, count, since, url, places } }: NotificationMessage) {
  const times = count === 1 ? undefined : `${count} times since ${momentText(since)}; this is the last one.`;
  const subject = count === 1 ? title : `${title} (${count} times)`;
  return { subject, title, detail, times, url, bars: beforeAndAfter(places ?? []), at: momentText(timestamp) };
}
