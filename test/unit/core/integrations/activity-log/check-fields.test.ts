/** The field settings are compared with the fields of the index. */
import { expect, it } from 'vitest';
import activityLog from '../../../../../core/integrations/activity-log/system.ts';
import { once, useVendor, vendorContext } from '../../../../support/vendor.ts';

const caps = 'GET /portal-activity/_field_caps';
const able = { searchable: true, aggregatable: true };
const fields = {
  '@timestamp': { date: able },
  'event.id': { keyword: able },
  'event.action': { text: { searchable: true, aggregatable: false } },
  'listing.reference': { wildcard: able },
  'user.crm_id': { long: able, unsigned_long: able },
  'user.email.keyword': { keyword: able },
  'user.phone.keyword': { constant_keyword: able },
};
const fix = 'correct it: `npm run connect -- activity-log` lists the fields';

const vendor = await useVendor();

function check(change: object = {}) {
  vendor.on(caps, { json: { fields: { ...fields, ...change } } });
  return once(() => activityLog.checkSettings(vendorContext({ ACTIVITY_LOG_URL: vendor.url })));
}

it('finds nothing when the fields have suitable types', async () => {
  expect(await check()).toEqual([]);
  expect(vendor.received[0]?.query).toEqual({ fields: Object.keys(fields).join() });
  expect(await check({ '@timestamp': { date_nanos: able }, 'event.id': { long: able } })).toEqual([]);
  expect(await check({ 'event.action': { match_only_text: able }, 'user.crm_id': { integer: able } })).toEqual([]);
});

it.each([
  [{ 'user.crm_id': undefined }, 'ACTIVITY_LOG_CRM_ID_FIELD: the index has no field user.crm_id'],
  [{ 'event.id': {} }, 'ACTIVITY_LOG_ID_FIELD: the index has no field event.id'],
  [
    { '@timestamp': { date: able, text: able, long: able } },
    'ACTIVITY_LOG_TIME_FIELD: the field @timestamp has the unsuitable type text, long',
  ],
  [
    { '@timestamp': { date_range: able } },
    'ACTIVITY_LOG_TIME_FIELD: the field @timestamp has the unsuitable type date_range',
  ],
  [
    { 'event.id': { long_range: able } },
    'ACTIVITY_LOG_ID_FIELD: the field event.id has the unsuitable type long_range',
  ],
  [
    { 'event.id': { keyword: { searchable: true, aggregatable: false } } },
    'ACTIVITY_LOG_ID_FIELD: entries cannot be sorted by the field event.id',
  ],
  [
    { 'event.id': { keyword: able, long: { searchable: true, aggregatable: false } } },
    'ACTIVITY_LOG_ID_FIELD: entries cannot be sorted by the field event.id',
  ],
  [
    { 'event.action': { text_array: able } },
    'ACTIVITY_LOG_ACTION_FIELD: the field event.action has the unsuitable type text_array',
  ],
  [
    { 'user.email.keyword': { text: able } },
    'ACTIVITY_LOG_EMAIL_FIELD: the field user.email.keyword has the unsuitable type text',
  ],
  [
    { 'user.phone.keyword': { keyword_list: able } },
    'ACTIVITY_LOG_PHONE_FIELD: the field user.phone.keyword has the unsuitable type keyword_list',
  ],
  [
    { 'user.crm_id': { long_range: able } },
    'ACTIVITY_LOG_CRM_ID_FIELD: the field user.crm_id has the unsuitable type long_range',
  ],
])('finds %j', async (change, found) => expect(await check(change)).toEqual([{ level: 'failure', found, fix }]));

it('finds each wrong setting', async () =>
  expect(
    await check({ '@timestamp': {}, 'event.action': { my_text: able }, 'user.email.keyword': { my_keyword: able } }),
  ).toHaveLength(3));
