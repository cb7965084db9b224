import {
  authenticateToken,
  createToken,
  type Database,
  InputError,
  isTokenLive,
  listTokens,
  revokeToken,
  TOKENS_MAX,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';

const HOUR_MS = 3_600_000;
const AT = Date.UTC(2026, 4, 1, 12, 30);

describe.each(DATABASES)('tokens (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  const make = (tenant: string, more: { name?: string; expiresAt?: number; at?: number } = {}) =>
    database.withTenant(tenant, (tx) =>
      createToken(tx, { tenant, name: 'agent', role: 'write', createdBy: 'operator', at: AT, ...more }),
    );
  const list = (tenant: string, limit = 50, cursor?: string) =>
    database.withTenant(tenant, (tx) => listTokens(tx, { tenant, limit, cursor }));

  it('let their owner in, and keep nothing of the secret but its digest', async () => {
    const { secret, token } = await make('a');
    expect(secret).toMatch(new RegExp(`^swt_${token.id.replaceAll('-', '')}_[\\w-]{43}$`));
    expect(await authenticateToken(database, secret, AT)).toEqual({
      tenant: 'a',
      id: token.id,
      name: 'agent',
      role: 'write',
      speaksForUser: false,
    });
    const [row] = await database.asOwner((tx) =>
      tx.rows<{ text: string }>(
        sql`select to_jsonb(t)::text as text from slowwave.api_tokens t where id = ${token.id}::uuid`,
      ),
    );
    expect(row!.text).not.toContain(secret.slice(-43));
  });

  it('let nobody in who has not the whole of one', async () => {
    const one = await make('a');
    const two = await make('b');
    const swapped = `${one.secret.slice(0, 37)}${two.secret.slice(37)}`;
    const flipped = `${one.secret.slice(0, -1)}${one.secret.endsWith('A') ? 'B' : 'A'}`;
    const wrong = [swapped, flipped, one.secret.slice(0, -1), `${one.secret}A`, one.token.id, '', 'swt_'];
    for (const given of [...wrong, one.secret.toUpperCase(), ` ${one.secret}`, `swt_${'0'.repeat(32)}_x`]) {
      expect(await authenticateToken(database, given, AT)).toBeNull();
    }
    expect(await authenticateToken(database, one.secret, AT)).not.toBeNull();
  });

  it('end when they are revoked or expire', async () => {
    const { secret, token } = await make('a', { expiresAt: AT + 1_000 });
    expect(await authenticateToken(database, secret, AT + 999)).not.toBeNull();
    expect(await isTokenLive(database, token.id, AT + 999)).toBe(true);
    expect(await authenticateToken(database, secret, AT + 1_000)).toBeNull();
    expect(await isTokenLive(database, token.id, AT + 1_000)).toBe(false);
    const other = await make('a');
    const revoke = (tenant: string, at: number) =>
      database.withTenant(tenant, (tx) => revokeToken(tx, { tenant, id: other.token.id, at }));
    expect(await revoke('b', AT)).toBeNull();
    expect(await authenticateToken(database, other.secret, AT)).not.toBeNull();
    expect(await revoke('a', AT + 5)).toMatchObject({ id: other.token.id, revokedAt: AT + 5 });
    expect(await revoke('a', AT + 9)).toMatchObject({ revokedAt: AT + 5 });
    expect(await authenticateToken(database, other.secret, AT)).toBeNull();
    expect(await isTokenLive(database, other.token.id, AT)).toBe(false);
  });

  it('note the hour of their use, and write once in it', async () => {
    const { secret, token } = await make('hours');
    const used = async () => (await list('hours')).rows.find(({ id }) => id === token.id)!.lastUsedAt;
    const version = async () =>
      database.asOwner((tx) =>
        tx.rows(sql`select xmin::text from slowwave.api_tokens where id = ${token.id}`),
      );
    expect(await used()).toBeNull();
    await authenticateToken(database, secret, AT);
    expect(await used()).toBe(AT - (AT % HOUR_MS));
    const written = await version();
    await authenticateToken(database, secret, AT + HOUR_MS / 4);
    expect(await version()).toEqual(written);
    await authenticateToken(database, secret, AT + HOUR_MS);
    expect(await used()).toBe(AT - (AT % HOUR_MS) + HOUR_MS);
  });

  it('are listed page by page, the newest first, to their own tenant', async () => {
    const made = [];
    for (let at = AT; at < AT + 5; at++) made.unshift((await make('pages', { at })).token.id);
    await make('others');
    const first = await list('pages', 2);
    const second = await list('pages', 2, first.nextCursor!);
    const third = await list('pages', 2, second.nextCursor!);
    expect([...first.rows, ...second.rows, ...third.rows].map(({ id }) => id)).toEqual(made);
    expect(third.nextCursor).toBeNull();
    expect(first.rows[0]).toEqual({
      id: made[0],
      name: 'agent',
      role: 'write',
      speaksForUser: false,
      createdAt: AT + 4,
      createdBy: 'operator',
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
  });

  it('are refused with a name that is none, an end that has passed, and beyond their number', async () => {
    await expect(make('a', { name: '' })).rejects.toThrow(InputError);
    await expect(make('a', { name: 'x\ny' })).rejects.toThrow(InputError);
    await expect(make('a', { expiresAt: AT })).rejects.toMatchObject({ code: 'out_of_range' });
    await database.withTenant('full', (tx) =>
      tx.rows(sql`
        insert into slowwave.api_tokens (tenant, id, name, role, digest, created_at, created_by, revoked_at)
        select 'full', gen_random_uuid(), 'n', 'read', repeat('0', 64), now(), 'operator', case when i = 1 then now() end
        from generate_series(1, ${TOKENS_MAX}::int) as i`),
    );
    await make('full');
    await expect(make('full')).rejects.toMatchObject({ code: 'too_many' });
  });
});
