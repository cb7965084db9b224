import { describe, expect, it } from 'vitest';
import { databaseError } from './errors.ts';

describe('an error of the database', () => {
  const said = (code: string) => databaseError(Object.assign(new Error('theorbo-canary'), { code }));

  it.each(['26000', '42P05'])('%s, as behind a pooler that keeps no statements, says what to set', (code) => {
    const error = said(code);
    expect(error).toMatchObject({ code: 'serialization', retryable: true, sqlState: code });
    expect(error.message).toContain('SLOWWAVE_DATABASE_PREPARED=off');
    expect(error.message).not.toContain('canary');
  });

  it('of a table that changed since is tried again, and says nothing of poolers', () => {
    expect(said('0A000')).toMatchObject({ retryable: true });
    expect(said('0A000').message).not.toContain('SLOWWAVE');
  });
});
