import type { Database } from '@slowwave/db';
import { describe, expect, it } from 'vitest';
import { queueBackendOf } from './queue-backend.ts';

describe('the back end of the queue', () => {
  it('follows the configuration', () => {
    const redis = { kind: 'redis', url: 'redis://h', prefix: 'p' } as const;
    expect(queueBackendOf(redis, { pglite: null })).toEqual(redis);
    const postgres = { kind: 'postgres', url: 'postgres://h/d' } as const;
    expect(queueBackendOf(postgres, { pglite: null })).toEqual(postgres);
  });

  it('shares the embedded database, and needs one', () => {
    const pglite = {} as NonNullable<Database['pglite']>;
    expect(queueBackendOf({ kind: 'embedded' }, { pglite })).toMatchObject({ kind: 'embedded' });
    expect(() => queueBackendOf({ kind: 'embedded' }, { pglite: null })).toThrow(TypeError);
  });
});
