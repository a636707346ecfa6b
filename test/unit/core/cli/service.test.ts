import { expect, it } from 'vitest';
import { metricsPortOf } from '../../../../core/cli/service.ts';

it.each([
  ['api', '9465'],
  ['worker', '9466'],
  ['scheduler', '9467'],
  ['sandbox', ''],
])('gives %s the metrics port %j after that of npm start, and none without one', (name, port) => {
  expect(metricsPortOf(name, { METRICS_PORT: 9464 })).toBe(port);
  expect(metricsPortOf(name, {})).toBe('');
});
