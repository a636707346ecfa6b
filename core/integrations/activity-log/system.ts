/** The log store: OpenSearch or Elasticsearch, with the portal's activity. */
import type { SystemTools } from '../kit/context.ts';
import { defineSystem } from '../kit/define-system.ts';
import type { SystemHttp } from '../kit/http.ts';
import { goodRows } from '../kit/read-rows.ts';
import { incompleteList, type SystemName } from '../kit/upstream-error.ts';
import { ActivityLogConfig } from './config.ts';
import { checkFields, proposeFields } from './fields.ts';
import { type Activity, readFault, type SortValue, searchAnswer, sourceField, system } from './wire.ts';

export type { Activity } from './wire.ts';

export default defineSystem({
  ...system,
  config: ActivityLogConfig,
  configuredBy: 'ACTIVITY_LOG_URL',
  sandbox: base => ({ ACTIVITY_LOG_URL: base, ACTIVITY_LOG_API_KEY: 'sandbox' }),
  open: (config, tools) => openActivityLog(config, system, tools),
  probe: log => log.latest(),
  checkSettings: log => log.checkFields(),
  proposeSettings: log => log.proposeFields(),
});

/** Identifiers of a person; an entry with any of them is the person's. */
export interface PersonKeys {
  crmIds?: readonly number[];
  emails?: readonly string[];
  /** E.164. */
  phones?: readonly string[];
}

export interface ActivityPage {
  /** The number of rows of all pages. */
  total: number;
  activities: Activity[];
}

const pageRows = 1_000;
/** Shorter than our timeout, so that the store reports its own. */
const searchSeconds = 10;
const timeoutMs = 15_000;

export type ActivityLog = ReturnType<typeof openActivityLog>;

export function openActivityLog(config: ActivityLogConfig, name: SystemName, tools: SystemTools) {
  const http = tools.http({
    baseUrl: config.ACTIVITY_LOG_URL ?? '',
    headers: () => credentials(config),
    readFault,
    timeoutMs,
  });
  const search = searcher(config, http);
  const timeField = config.ACTIVITY_LOG_TIME_FIELD;

  return {
    /** A person's entries, newest first. @param limit 1 to 1,000 */
    async ofPerson(keys: PersonKeys, limit: number): Promise<ActivityPage> {
      if (Object.values(keys).every(values => values.length === 0)) return { total: 0, activities: [] };
      const query = { bool: { filter: [matchesPerson(config, keys)] } };
      const { total, activities } = await search({ query, size: limit, order: 'desc' });
      return { total, activities };
    },

    /** The newest entry of the last minute, if any: cheap however much the store holds. */
    async latest(): Promise<Activity | undefined> {
      const minuteAgo = new Date(Date.now() - 60_000).toISOString();
      const query = { bool: { filter: [{ range: { [timeField]: { gte: minuteAgo } } }] } };
      return (await search({ query, size: 1, order: 'desc' })).activities[0];
    },

    checkFields: () => checkFields(http, config),
    proposeFields: () => proposeFields(http, config),

    /**
     * All entries from `from` until before `to`, oldest first, 1,000 a page. It uses no snapshot of the store, which
     * the two vendors request in different ways; a snapshot would miss entries that arrive late as well.
     * @throws UpstreamError when fewer entries arrived than the store counted
     */
    async *read({ from, to }: { from: Date; to: Date }): AsyncGenerator<Activity[]> {
      const range = { gte: from.toISOString(), lt: to.toISOString() };
      const query = { bool: { filter: [{ range: { [timeField]: range } }] } };
      const incomplete = () => incompleteList(name, 'entries', { expected, received });
      let after: readonly SortValue[] | undefined;
      let [received, expected] = [0, 0];
      for (;;) {
        const page = await search({ query, size: pageRows, order: 'asc', ...(after && { after }) });
        expected ||= page.total;
        received += page.received;
        if (page.activities.length > 0) yield page.activities;
        if (page.received < pageRows) break;
        if (String(page.last) === String(after)) throw incomplete();
        after = page.last;
      }
      if (received < expected) throw incomplete();
    },
  };
}

function searcher(config: ActivityLogConfig, http: SystemHttp) {
  const { ACTIVITY_LOG_TIME_FIELD: time, ACTIVITY_LOG_ID_FIELD: id } = config;
  const answer = searchAnswer(config);
  const fields = [
    time,
    id,
    config.ACTIVITY_LOG_CRM_ID_FIELD,
    config.ACTIVITY_LOG_EMAIL_FIELD,
    config.ACTIVITY_LOG_PHONE_FIELD,
    config.ACTIVITY_LOG_ACTION_FIELD,
    config.ACTIVITY_LOG_LISTING_FIELD,
  ].map(sourceField);

  return async ({
    query,
    size,
    order,
    after,
  }: {
    query: object;
    size: number;
    order: 'asc' | 'desc';
    after?: readonly SortValue[];
  }) => {
    const { hits } = await http.call({
      class: 'read',
      method: 'POST',
      path: `/${config.ACTIVITY_LOG_INDEX}/_search`,
      json: {
        query,
        size,
        // The id orders entries with the same time, so that pages neither lose nor repeat one.
        sort: [{ [time]: order }, { [id]: order }],
        ...(after && { search_after: after }),
        _source: fields,
        track_total_hits: true,
        timeout: `${searchSeconds}s`,
      },
      answer,
    });
    const { rows, last } = hits.hits;
    return { total: hits.total.value, activities: goodRows(rows), received: rows.length, last };
  };
}

function matchesPerson(config: ActivityLogConfig, { crmIds = [], emails = [], phones = [] }: PersonKeys): object {
  const should = [
    ...(crmIds.length > 0 ? [{ terms: { [config.ACTIVITY_LOG_CRM_ID_FIELD]: crmIds } }] : []),
    ...emails.map(value => ({
      term: { [config.ACTIVITY_LOG_EMAIL_FIELD]: { value, case_insensitive: true } },
    })),
    ...(phones.length > 0 ? [{ terms: { [config.ACTIVITY_LOG_PHONE_FIELD]: phones } }] : []),
  ];
  return { bool: { should, minimum_should_match: 1 } };
}

function credentials(config: ActivityLogConfig): Record<string, string> {
  const { ACTIVITY_LOG_API_KEY: key, ACTIVITY_LOG_USERNAME: user, ACTIVITY_LOG_PASSWORD: password } = config;
  if (key !== '') return { authorization: `ApiKey ${key}` };
  if (user === '') return {};
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}
