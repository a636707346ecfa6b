import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../../core/runtime/config.ts';
import { StorageConfig } from '../../../../core/storage/config.ts';

const folder = (url: string) => readConfig(StorageConfig, { STORAGE_URL: url }).STORAGE_URL;

describe('STORAGE_URL', () => {
  it.each([
    ['file:///var/lib/portal', '/var/lib/portal'],
    ['file:/var/lib/portal', '/var/lib/portal'],
    ['file:///with%20space', '/with space'],
    ['file:results', resolve('results')],
    ['file:./a/../results', resolve('results')],
    ['file:re sults', resolve('re sults')],
  ])('%s is the folder %s', (url, path) => expect(folder(url)).toBe(path));

  it.each([
    'file://results',
    '/var/lib',
    'http://a.example/',
    'ftp:x',
    'http://a.example/?file:x',
    'results',
    'xfile:results',
  ])('rejects %s', url => expect(() => folder(url)).toThrow('STORAGE_URL must be a file: URL, such as'));

  it('is optional; without it, or with file: alone, DATA_DIR decides the folder', () => {
    expect(folder('')).toBeUndefined();
    expect(folder('file:')).toBeUndefined();
  });

  it.each([
    ['s3://bucket', { bucket: 'bucket', prefix: '', pathStyle: false }],
    ['s3://my.bucket/', { bucket: 'my.bucket', prefix: '', pathStyle: false }],
    ['s3://bucket/portal/results', { bucket: 'bucket', prefix: 'portal/results/', pathStyle: false }],
    ['s3://bucket/portal/?region=me-central-1', { prefix: 'portal/', region: 'me-central-1' }],
    [
      's3://bucket/p?region=eu-west-1&endpoint=http://127.0.0.1:4568/&pathStyle=true',
      { region: 'eu-west-1', endpoint: 'http://127.0.0.1:4568', pathStyle: true },
    ],
  ])('%s is a bucket', (url, bucket) => expect(folder(url)).toMatchObject(bucket));

  it.each([
    's3://',
    's3:bucket',
    's3://Bucket',
    's3://b/p?pathstyle=true',
    's3://b0b?endpoint=here',
    's3://b0b?pathStyle=1',
  ])('rejects %s with an example', url => {
    expect(() => folder(url)).toThrow('STORAGE_URL must be like s3://bucket/prefix?region=me-central-1');
  });
});

describe('RESULT_RETENTION_HOURS', () => {
  const hours = (text: string) => readConfig(StorageConfig, { RESULT_RETENTION_HOURS: text }).RESULT_RETENTION_HOURS;

  it.each([
    ['', 168],
    ['1', 1],
    ['87600', 87_600],
  ])('"%s" is %i hours', (text, expected) => expect(hours(text)).toBe(expected));

  it.each(['0', '87601', '-1', '1.5', 'week'])('rejects %s', text =>
    expect(() => hours(text)).toThrow('RESULT_RETENTION_HOURS'),
  );
});
