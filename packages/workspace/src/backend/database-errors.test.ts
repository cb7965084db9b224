import {
  DatabaseError,
  DocumentConflict,
  databaseError,
  InputError,
  QuotaExceeded,
  WorkspaceRefused,
} from '@slowwave/db';
import { describe, expect, it } from 'vitest';
import { memoryErrorOf } from './database-errors.ts';
import { MemoryBackendError } from './errors.ts';

/** As a driver throws it. */
const refused = (code: string): Error => databaseError(Object.assign(new Error('secret words'), { code }));

describe('what the contract calls errors of the database', () => {
  it.each([
    ['ECONNREFUSED', 'BACKEND_UNAVAILABLE', 'BACKEND_UNAVAILABLE'],
    ['08006', 'BACKEND_UNAVAILABLE', 'BACKEND_UNAVAILABLE'],
    ['57P01', 'BACKEND_UNAVAILABLE', 'BACKEND_UNAVAILABLE'],
    ['57P03', 'BACKEND_UNAVAILABLE', 'BACKEND_UNAVAILABLE'],
    ['53300', 'BACKEND_UNAVAILABLE', 'BACKEND_UNAVAILABLE'],
    ['40001', 'READ_FAILED', 'CONFLICT'],
    ['40P01', 'READ_FAILED', 'CONFLICT'],
    ['53100', 'READ_FAILED', 'QUOTA_EXCEEDED'],
    ['25006', 'READ_FAILED', 'READ_ONLY'],
    ['42501', 'READ_FAILED', 'READ_ONLY'],
    ['22021', 'UNSUPPORTED', 'UNSUPPORTED'],
    ['22P05', 'UNSUPPORTED', 'UNSUPPORTED'],
    ['57014', 'READ_FAILED', 'WRITE_FAILED'],
    ['23505', 'READ_FAILED', 'WRITE_FAILED'],
    ['XX000', 'READ_FAILED', 'WRITE_FAILED'],
  ])('%s', (state, reading, writing) => {
    for (const [deed, code] of [
      ['read', reading],
      ['write', writing],
    ] as const) {
      const error = memoryErrorOf(refused(state), deed, 'postgres');
      expect(error).toBeInstanceOf(MemoryBackendError);
      expect(error).toMatchObject({ code, backend: 'postgres' });
      expect(`${error} ${(error as Error).stack}`).not.toContain('secret');
    }
  });

  it.each([
    [new DocumentConflict('changed', 'MEMORY.md', null), 'CONFLICT'],
    [new QuotaExceeded('MEMORY.md', 10, 11), 'QUOTA_EXCEEDED'],
    [new InputError('invalid_text', 'content', 'content holds a NUL character'), 'UNSUPPORTED'],
    [new WorkspaceRefused('unknown_workspace', 'notes', 'there is none'), 'BACKEND_UNAVAILABLE'],
    [new DatabaseError('internal', 'the database driver failed'), 'WRITE_FAILED'],
    [new Error('secret words'), 'WRITE_FAILED'],
    ['secret words', 'WRITE_FAILED'],
  ])('%s', (error, code) => {
    const made = memoryErrorOf(error, 'write', 'postgres') as MemoryBackendError;
    expect(made.code).toBe(code);
    expect(made.message).not.toContain('secret');
  });

  it('errors of the contract pass unchanged', () => {
    const error = new MemoryBackendError('NOT_FOUND', 'none', 'memory');
    expect(memoryErrorOf(error, 'read', 'postgres')).toBe(error);
  });
});
