/** Settings of the log store. */
import { expect, it } from 'vitest';
import { ActivityLogConfig } from '../../../../../core/integrations/activity-log/config.ts';
import { readConfig } from '../../../../../core/runtime/config.ts';

it.each(['event.id', '@timestamp', 'user-id'])('a field may be %j', ACTIVITY_LOG_ID_FIELD =>
  expect(readConfig(ActivityLogConfig, { ACTIVITY_LOG_ID_FIELD })).toMatchObject({ ACTIVITY_LOG_ID_FIELD }),
);

it.each(['a b', ' a', 'a*', 'a,b'])('a field may not be %j', ACTIVITY_LOG_ID_FIELD =>
  expect(() => readConfig(ActivityLogConfig, { ACTIVITY_LOG_ID_FIELD })).toThrow('must be the name of a field'),
);

it.each(['activity-2026.*', 'a_b,c'])('an index may be %j', ACTIVITY_LOG_INDEX =>
  expect(readConfig(ActivityLogConfig, { ACTIVITY_LOG_INDEX })).toMatchObject({ ACTIVITY_LOG_INDEX }),
);

it.each(['Activity', 'a/b', '/a', 'a?'])('an index may not be %j', ACTIVITY_LOG_INDEX =>
  expect(() => readConfig(ActivityLogConfig, { ACTIVITY_LOG_INDEX })).toThrow(
    'must be the name of an index or a pattern',
  ),
);
