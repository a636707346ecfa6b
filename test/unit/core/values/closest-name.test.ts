import { expect, it } from 'vitest';
import { closestName } from '../../../../core/values/closest-name.ts';

it.each([
  ['CRM_ULR', 'CRM_URL'],
  ['REDIS_URI', 'REDIS_URL'],
  ['DATABSE_ULR', 'DATABASE_URL'],
  ['HOME', undefined],
  ['PATH', undefined],
  ['PORTS', 'PORT'],
])('suggests for %s the name %s', (name, suggestion) => {
  expect(closestName(name, ['CRM_URL', 'REDIS_URL', 'DATABASE_URL', 'HOST', 'PORT', 'DATA_DIR'])).toBe(suggestion);
});

it.each([
  ['dryrun', 'dryRun'],
  ['dry_run', 'dryRun'],
  ['langauge', 'language'],
  ['tel', undefined],
])('suggests for the member %s the member %s', (name, suggestion) => {
  expect(closestName(name, ['dryRun', 'language', 'text'])).toBe(suggestion);
});
