/** The log store with our verbs. */
import { z } from 'zod';
import type { SystemTools } from '../kit/context.ts';
import { type SystemName, UpstreamError } from '../kit/upstream-error.ts';
import type { ActivityLogConfig } from './config.ts';
import { type Activity, activityReader, readFault, SearchAnswer, sourceField } from './wire.ts';

export type { Activity } from './wire.ts';

/** All by which a person may be known in the log; an entry with any of these is the person's. */
export interface PersonKeys {
  crmIds?: readonly number[];
  emails?: readonly string[];
  /** E.164. */
  phones?: readonly string[];
}

export interface ActivityPage {
  /** How many there are in all. */
  total: number;
  activities: Activity[];
}

interface Search {
  query: object;
  size: number;
  order: 'asc' | 'desc';
  after?: readonly (string | number)[];
}

const rowsAPage = 1_000;
/** The store gives up its search before we do, and says so. */
const searchSeconds = 10;
const timeoutMs = 15_000;

export type ActivityLog = ReturnType<typeof openActivityLog>;

export function openActivityLog(config: ActivityLogConfig, system: SystemName, tools: SystemTools) {
  const http = tools.http({
    baseUrl: config.ACTIVITY_LOG_URL ?? '',
    headers: () => credentials(config),
    readFault,
    timeoutMs,
  });
  const fields = {
    time: config.ACTIVITY_LOG_TIME_FIELD,
    id: config.ACTIVITY_LOG_ID_FIELD,
    crmId: config.ACTIVITY_LOG_CRM_ID_FIELD,
    email: config.ACTIVITY_LOG_EMAIL_FIELD,
    phone: config.ACTIVITY_LOG_PHONE_FIELD,
  };
  const wanted = [
    ...Object.values(fields),
    config.ACTIVITY_LOG_ACTION_FIELD,
    config.ACTIVITY_LOG_LISTING_FIELD,
  ].map(sourceField);
  const readEntry = activityReader(config);

  async function search({ query, size, order, after }: Search) {
    const { hits } = await http.call({
      class: 'read',
      method: 'POST',
      path: `/${config.ACTIVITY_LOG_INDEX}/_search`,
      json: {
        query,
        size,
        // The id keeps entries of one moment in one order, so that no page's end loses or repeats any.
        sort: [{ [fields.time]: order }, { [fields.id]: order }],
        ...(after && { search_after: after }),
        _source: wanted,
        track_total_hits: true,
        timeout: `${searchSeconds}s`,
      },
      answer: SearchAnswer,
    });
    const activities = hits.hits.map(({ _source }) => parsed(system, readEntry, _source));
    return { total: hits.total.value, activities, last: hits.hits.at(-1)?.sort };
  }

  function isOfPerson({ crmIds = [], emails = [], phones = [] }: PersonKeys): object {
    const should = [
      ...(crmIds.length > 0 ? [{ terms: { [fields.crmId]: crmIds } }] : []),
      ...emails.map(value => ({ term: { [fields.email]: { value, case_insensitive: true } } })),
      ...(phones.length > 0 ? [{ terms: { [fields.phone]: phones } }] : []),
    ];
    return { bool: { should, minimum_should_match: 1 } };
  }

  return {
    /** A person's, newest first. @param limit 1 to 1,000 */
    async ofPerson(keys: PersonKeys, limit: number): Promise<ActivityPage> {
      if (Object.values(keys).every(values => values.length === 0)) return { total: 0, activities: [] };
      const query = { bool: { filter: [isOfPerson(keys)] } };
      const { total, activities } = await search({ query, size: limit, order: 'desc' });
      return { total, activities };
    },

    /** The newest entry of the last minute, if there is one: cheap however much the store holds. */
    async latest(): Promise<Activity | undefined> {
      const query = { bool: { filter: [{ range: { [fields.time]: { gte: minuteAgo().toISOString() } } }] } };
      return (await search({ query, size: 1, order: 'desc' })).activities[0];
    },

    /**
     * All from a time on until before another, oldest first, 1,000 a page. Not on a snapshot of the store, which the
     * two vendors ask for in different ways: what arrives late while it is read is missing in a snapshot just as well.
     * @throws UpstreamError when fewer came than the store has counted
     */
    async *read({ from, to }: { from: Date; to: Date }): AsyncGenerator<Activity[]> {
      const query = {
        bool: { filter: [{ range: { [fields.time]: { gte: from.toISOString(), lt: to.toISOString() } } }] },
      };
      let after: readonly (string | number)[] | undefined;
      let [read, expected] = [0, 0];
      for (;;) {
        const page = await search({ query, size: rowsAPage, order: 'asc', ...(after && { after }) });
        expected ||= page.total;
        read += page.activities.length;
        if (page.activities.length > 0) yield page.activities;
        if (page.activities.length < rowsAPage) break;
        if (String(page.last) === String(after)) throw cutShort(system, read, expected);
        after = page.last;
      }
      if (read < expected) throw cutShort(system, read, expected);
    },
  };
}

const minuteAgo = (): Date => new Date(Date.now() - 60_000);

function credentials(config: ActivityLogConfig): Record<string, string> {
  const { ACTIVITY_LOG_API_KEY: key, ACTIVITY_LOG_USERNAME: user, ACTIVITY_LOG_PASSWORD: password } = config;
  if (key !== '') return { authorization: `ApiKey ${key}` };
  if (user === '') return {};
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

function parsed(
  { name, title }: SystemName,
  read: (source: Record<string, unknown>) => Activity,
  source: Record<string, unknown>,
): Activity {
  try {
    return read(source);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new UpstreamError('upstream-failed', `${title} has entries without a time or an id.`, {
      system: name,
      passing: false,
      mayHaveRun: false,
      message: z.prettifyError(error),
    });
  }
}

const cutShort = ({ name, title }: SystemName, read: number, expected: number): UpstreamError =>
  new UpstreamError('upstream-failed', `${title} counted ${expected} entries and gave ${read}.`, {
    system: name,
    code: 'incomplete',
    passing: true,
    mayHaveRun: false,
  });
