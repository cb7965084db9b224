import { describe, expect, it } from 'vitest';
import { queueBackendOf } from './from-config.ts';
import type { PgliteLike } from './pglite-session.ts';

describe('the back end of the queue', () => {
  it('follows the configuration', () => {
    const redis = { kind: 'redis', url: 'redis://h', prefix: 'p' } as const;
    expect(queueBackendOf(redis, null)).toEqual(redis);
    const postgres = { kind: 'postgres', url: 'postgres://h/d' } as const;
    expect(queueBackendOf(postgres, null)).toEqual(postgres);
  });

  it('shares the embedded database, and needs one', () => {
    const pglite = {} as PgliteLike;
    expect(queueBackendOf({ kind: 'embedded' }, pglite)).toMatchObject({ kind: 'embedded' });
    expect(() => queueBackendOf({ kind: 'embedded' }, null)).toThrow(TypeError);
  });
});
