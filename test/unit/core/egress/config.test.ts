import { describe, expect, it } from 'vitest';
import { EgressConfig, sandboxRules } from '../../../../core/egress/config.ts';
import { readConfig } from '../../../../core/runtime/config.ts';

const read = (text?: string) => readConfig(EgressConfig, text === undefined ? {} : { EGRESS_ALLOW: text }).EGRESS_ALLOW;

describe('the exceptions to the guard', () => {
  it('are none by default', () => {
    expect(read()).toEqual([]);
    expect(read('')).toEqual([]);
    expect(read(' , ')).toEqual([]);
  });

  it('are separated by commas, with or without spaces', () =>
    expect(read('photos.internal:8080, 10.0.0.0/8')).toMatchObject([
      { kind: 'host', hostname: 'photos.internal', port: 8080 },
      { kind: 'range', ports: new Set([80, 443]) },
    ]));

  it('are rejected together, each by its place', () =>
    expect(() => read('photos.internal, 10.0.0.0/8, *:80')).toThrow(
      /has an invalid entry 1: write host:port.*has an invalid entry 3: write host:port/s,
    ));
});

describe('the sandbox', () => {
  const config = { NODE_ENV: 'development', SANDBOX_HOST: 'sandbox.internal', SANDBOX_PORT: 9100 };

  it('may be reached in development, by its name and on this machine', () => {
    expect(sandboxRules(config)).toMatchObject([
      { kind: 'host', hostname: 'sandbox.internal', port: 9100 },
      { kind: 'range', ports: new Set([9100]) },
      { kind: 'host', hostname: 'localhost', port: 9100 },
    ]);
    expect(sandboxRules({ ...config, SANDBOX_HOST: '127.0.0.1' })).toHaveLength(2);
  });

  it.each(['production', 'test'])('needs an exception in %s', NODE_ENV =>
    expect(sandboxRules({ ...config, NODE_ENV })).toEqual([]),
  );
});
