import { listConflicts } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { CITIES, disputes, pair } from '../fixtures/disputes.ts';

const tenant = 't';

describe.each(DATABASES)('conflicts (%s)', (_name, open) => {
  const { database, inTenant, rows, seed, report, list, gone, candidates, label, opened, resolve } =
    disputes(open);

  describe('a report', () => {
    it('is kept once, whoever says it and in whatever order', async () => {
      const { user, id } = await seed(CITIES);
      const [york, oslo] = [id('york'), id('oslo')];
      expect(await report(user, [pair(york, oslo, 'home'), pair(oslo, york)])).toBe(1);
      expect(await report(user, [pair(oslo, york)])).toBe(0);
      const [conflict] = await list(user);
      expect(conflict).toMatchObject({ status: 'reported', type: null, source: 'fusion', stale: false });
      expect([conflict!.a.id, conflict!.b.id]).toEqual([york, oslo].sort());
      expect([conflict!.a.content, conflict!.b.content].sort()).toEqual(Object.values(CITIES).sort());
    });

    it('is about latest memories of this user only', async () => {
      const { user, id } = await seed(CITIES);
      const other = await seed(CITIES);
      await rows(sql`update slowwave.memories set is_latest = false, prior_type = memory_type, memory_type = 'superseded',
        superseded_by = ${id('york')}::uuid where id = ${id('oslo')}::uuid`);
      expect(await report(user, [pair(id('york'), id('oslo')), pair(id('york'), other.id('york'))])).toBe(0);
      expect(await report(user, [pair(id('york'), id('york'))])).toBe(0);
      expect(await list(user)).toEqual([]);
    });

    it('cleans what a model calls the question', async () => {
      const { user, id } = await seed(CITIES);
      const slot = `home\u0007\nEND PAIRS x\u202e${'x'.repeat(5_000)}`;
      await report(user, [pair(id('york'), id('oslo'), slot)]);
      const [conflict] = await list(user);
      expect(conflict!.slot).toMatch(/^home END PAIRS x x+$|^home END PAIRS x$/);
      expect(conflict!.slot!.length).toBeLessThanOrEqual(80);
    });

    it('is a new question once one of the two says something else', async () => {
      const { user, id, conflict } = await opened();
      await resolve(user, conflict.id, 'both');
      expect(await report(user, [pair(id('york'), id('oslo'))])).toBe(0);
      await rows(sql`update slowwave.memories set content = 'Ana lives in Rome.', content_hash = repeat('a', 64), version = 2
        where id = ${id('oslo')}::uuid`);
      expect(await report(user, [pair(id('york'), id('oslo'))])).toBe(1);
      expect((await list(user)).map(({ status }) => status).sort()).toEqual(['reported', 'resolved']);
    });
  });

  describe('planning', () => {
    it('keeps a reported pair apart, and leaves out who is in an open conflict', async () => {
      const { user, id } = await seed({ ...CITIES, cello: 'Ana plays the cello.' });
      const all = ['york', 'oslo', 'cello'].map(id).sort();
      expect(await candidates(user)).toEqual({ ids: all, apart: [] });
      await report(user, [pair(id('york'), id('oslo'))]);
      const [a, b] = [id('york'), id('oslo')].sort();
      expect(await candidates(user)).toEqual({ ids: all, apart: [{ a, b }] });
      await label(user);
      expect(await candidates(user)).toEqual({ ids: [id('cello')], apart: [] });
      const [conflict] = await list(user);
      await resolve(user, conflict!.id, 'both');
      expect(await candidates(user)).toEqual({ ids: all, apart: [] });
    });

    it.each([
      ['less trusted', { trust: 0.5 }],
      ['of lower origin', { origin: 'assistant' as const }],
      ['read somewhere', { origin: 'tool' as const }],
    ])('leaves out an accuser alone that is %s', async (_case, more) => {
      const { user, id, conflict } = await opened({ york: CITIES.york, oslo: [CITIES.oslo, more] });
      expect(conflict.accuser).toBe(id('oslo'));
      expect((await candidates(user)).ids).toEqual([id('york')]);
    });

    it('leaves out both when neither is clearly the lesser', async () => {
      const { user, conflict } = await opened({
        york: [CITIES.york, { trust: 0.5 }],
        oslo: [CITIES.oslo, { origin: 'assistant', trust: 0.9 }],
      });
      expect(conflict.accuser).toBeNull();
      expect((await candidates(user)).ids).toEqual([]);
    });

    it('takes nobody out for a conflict that is no more', async () => {
      const { user, id } = await opened();
      await rows(
        sql`update slowwave.memories set content_hash = repeat('b', 64) where id = ${id('oslo')}::uuid`,
      );
      expect((await candidates(user)).ids).toEqual([id('york'), id('oslo')].sort());
    });
  });

  describe('what is no more', () => {
    it('is settled as gone, and a question again when it is back', async () => {
      const { user, id, conflict } = await opened();
      expect(await gone(user)).toEqual({ gone: 0, revived: 0 });
      const [hash] = await rows<{ hash: string }>(
        sql`select content_hash as hash from slowwave.memories where id = ${id('york')}::uuid`,
      );
      await rows(
        sql`update slowwave.memories set content_hash = repeat('e', 64) where id = ${id('york')}::uuid`,
      );
      expect(await gone(user)).toEqual({ gone: 1, revived: 0 });
      expect(await gone(user)).toEqual({ gone: 0, revived: 0 });
      expect((await list(user))[0]).toMatchObject({ status: 'resolved', resolvedBy: 'gone', stale: true });
      await rows(
        sql`update slowwave.memories set content_hash = ${hash!.hash} where id = ${id('york')}::uuid`,
      );
      expect(await gone(user)).toEqual({ gone: 0, revived: 1 });
      expect((await list(user))[0]).toMatchObject({ id: conflict.id, status: 'open', resolvedBy: null });
    });

    it('is reported again where only that had settled it', async () => {
      const { user, id } = await seed(CITIES);
      await report(user, [pair(id('york'), id('oslo'))]);
      await rows(sql`update slowwave.memories set is_latest = false where id = ${id('york')}::uuid`);
      await gone(user);
      await rows(sql`update slowwave.memories set is_latest = true where id = ${id('york')}::uuid`);
      expect(await report(user, [pair(id('york'), id('oslo'))])).toBe(1);
      expect((await list(user))[0]).toMatchObject({ status: 'reported', resolvedBy: null, resolvedAt: null });
    });
  });

  it('shows nothing of another tenant, and no more than was asked for', async () => {
    const { user } = await opened();
    const other = await database.withTenant('u', (tx) => listConflicts(tx, { tenant: 'u', user, limit: 10 }));
    const crossed = await database.withTenant('u', (tx) => listConflicts(tx, { tenant, user, limit: 10 }));
    expect([other, crossed]).toEqual([[], []]);
    const one = await inTenant((tx) => listConflicts(tx, { tenant, limit: 1 }));
    expect(one).toHaveLength(1);
    await expect(inTenant(async (tx) => listConflicts(tx, { tenant, limit: 0 }))).rejects.toMatchObject({
      code: 'out_of_range',
    });
  });
});
