/** While tracing is off, the OpenTelemetry SDK is not loaded: only a dynamically imported file imports its packages. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { inSpan, openSpan, queueTelemetry, traceId } from '../../../../core/telemetry/spans.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

const files = ['api', 'core', 'workers'].flatMap(folder =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => path.posix.join(folder, file.replaceAll('\\', '/'))),
);
/** Without type-only imports. */
const importers = (of: RegExp): string[] =>
  files.filter(file =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(/^import (?!type\b)[^;]*?from '([^']+)'/gm)].some(
      ([, target = '']) => of.test(target),
    ),
  );

describe('tracing without a collector', () => {
  it('does not load the OpenTelemetry SDK', () => {
    expect(importers(/^@opentelemetry\/|^@fastify\/otel|^bullmq-otel/)).toEqual(['core/telemetry/open-telemetry.ts']);
    expect(importers(/\/open-telemetry\.ts$/)).toEqual([]);
  });

  it('runs work without spans', async () => {
    expect(openSpan('any', { role: 'server' })).toBeUndefined();
    expect([traceId(), queueTelemetry()]).toEqual([undefined, undefined]);
    expect(await inSpan('any', { role: 'client' }, async span => ['done', span])).toEqual(['done', undefined]);
    const failing = inSpan('any', { role: 'client' }, () => Promise.reject(new Error('as it was')));
    await expect(failing).rejects.toThrow('as it was');
  });
});
