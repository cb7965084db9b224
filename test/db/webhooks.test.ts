import {
  acquireLease,
  type ClaimedDelivery,
  claimDueDeliveries,
  countPendingDeliveries,
  createConflictStore,
  createMemoryStore,
  createWebhook,
  type DeliveryOutcome,
  enqueueEvents,
  finishRun,
  forget,
  getWebhook,
  holdDeliveries,
  listDeliveries,
  listWebhooks,
  pruneDeliveries,
  type RunEnd,
  recordDelivery,
  removeWebhook,
  requestRun,
  rotateWebhookSecret,
  startRun,
  updateWebhook,
  WEBHOOKS_PER_TENANT_MAX,
  type WebhookEventType,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { CITIES, disputes } from '../fixtures/disputes.ts';
import { membersOf, seedBicycles } from '../fixtures/fused.ts';
import { clusterOf, NOW, newMemory, seedUser } from '../fixtures/memories.ts';

const LEASE_MS = 30_000;
const ALL: WebhookEventType[] = ['run.finished', 'conflict.found', 'fusion.failed'];

describe.each(DATABASES)('webhooks (%s)', (_name, open) => {
  const { database, opened, seed } = disputes(open);
  let tenants = 0;
  const newTenant = () => `tenant-${++tenants}`;
  const inside = database.withTenant;
  const register = async (tenant: string, events = ALL) => {
    const made = await inside(tenant, (tx) =>
      createWebhook(tx, { tenant, url: 'https://example.com/hook', events, at: NOW }),
    );
    return made!;
  };
  const told = (tenant: string) =>
    inside(tenant, (tx) =>
      tx.rows<{ event: string; payload: Record<string, unknown>; webhook: string; user: string }>(sql`
        select event, payload, webhook_id as webhook, user_id as "user" from slowwave.webhook_deliveries
        where tenant = ${tenant} order by created_at, event, webhook_id`),
    );
  const tell = (tenant: string, count = 1, at = NOW) =>
    inside(tenant, (tx) => {
      const events = Array.from({ length: count }, (_, i) => ({
        type: 'run.finished' as const,
        data: { runId: `run-${i}` },
      }));
      return enqueueEvents(tx, { tenant, user: 'ana', at, events });
    });
  const claim = async (tenant: string, at = NOW, limit = 1_000): Promise<ClaimedDelivery[]> => {
    const taken = await database.asDispatcher((tx) =>
      claimDueDeliveries(tx, { at, leaseMs: LEASE_MS, limit }),
    );
    return taken.filter((delivery) => delivery.tenant === tenant);
  };
  const record = (delivery: ClaimedDelivery, outcome: DeliveryOutcome, at = NOW) =>
    database.asDispatcher((tx) => recordDelivery(tx, { ...delivery, at, outcome }));
  const deliveries = (tenant: string, webhookId: string, limit = 50, cursor?: string) =>
    inside(tenant, (tx) => listDeliveries(tx, { tenant, webhookId, limit, cursor }));

  describe('registered', () => {
    it('are made with a key of their own, listed without it, changed, and removed', async () => {
      const tenant = newTenant();
      const { webhook, secret } = await register(tenant, ['fusion.failed', 'fusion.failed']);
      expect(Buffer.from(secret, 'base64')).toHaveLength(32);
      expect(webhook).toMatchObject({ tenant, events: ['fusion.failed'], active: true, createdAt: NOW });
      expect(JSON.stringify(await inside(tenant, (tx) => listWebhooks(tx, { tenant })))).not.toContain(
        secret,
      );
      const { id } = webhook;
      const changed = await inside(tenant, (tx) =>
        updateWebhook(tx, { tenant, id, events: ['run.finished'], active: false, at: NOW + 5 }),
      );
      expect(changed).toEqual({ ...webhook, events: ['run.finished'], active: false, updatedAt: NOW + 5 });
      const rotated = await inside(tenant, (tx) => rotateWebhookSecret(tx, { tenant, id, at: NOW + 6 }));
      expect(rotated).not.toBe(secret);
      expect(await inside(tenant, (tx) => getWebhook(tx, { tenant, id }))).toMatchObject({ secret: rotated });
      expect(await inside(tenant, (tx) => removeWebhook(tx, { tenant, id }))).toBe(true);
      expect(await inside(tenant, (tx) => removeWebhook(tx, { tenant, id }))).toBe(false);
    });

    it("are a bounded number, and the tenant's own", async () => {
      const [tenant, other] = [newTenant(), newTenant()];
      const { webhook } = await register(tenant);
      for (let i = 1; i < WEBHOOKS_PER_TENANT_MAX; i += 1) await register(tenant);
      expect(await register(tenant)).toBeNull();
      expect(await inside(other, (tx) => listWebhooks(tx, { tenant: other }))).toEqual([]);
      const stolen = { tenant, id: webhook.id, active: false, at: NOW };
      expect(await inside(other, (tx) => updateWebhook(tx, stolen))).toBeNull();
      expect(await inside(other, (tx) => removeWebhook(tx, stolen))).toBe(false);
      await expect(register(other, [])).rejects.toMatchObject({ code: 'empty', field: 'events' });
    });
  });

  describe('are told', () => {
    async function finished(how: RunEnd, preview = false) {
      const tenant = newTenant();
      await seedUser(database, { tenant, user: 'ana', memories: [newMemory('ana', 'm', 'Ana likes tea.')] });
      const who = { tenant, user: 'ana' };
      await inside(tenant, (tx) => tx.rows(sql`delete from slowwave.leases where tenant = ${tenant}`));
      const { webhook } = await register(tenant, ['run.finished']);
      const lease = await acquireLease(database, { ...who, holder: 'w', ttlMs: 60_000 });
      if (lease.status !== 'held') throw new Error(lease.status);
      const runId = await inside(tenant, async (tx) => {
        const asked = await requestRun(tx, { ...who, tier: 'deep', at: NOW, preview });
        if (asked.status !== 'requested') throw new Error(asked.status);
        const { fence } = lease;
        await startRun(tx, { ...who, tier: 'deep', why: 'adhoc', runId: asked.runId, fence, at: NOW });
        await finishRun(tx, { ...who, runId: asked.runId, at: NOW, ...how });
        // A second end of the same run is none.
        await finishRun(tx, { ...who, runId: asked.runId, at: NOW, ...how });
        return asked.runId;
      });
      return { tenant, runId, webhook, rows: await told(tenant) };
    }
    const done: RunEnd = { status: 'completed', nextDueAt: NOW + 1, report: { steps: [] } };

    it('of the end of a run, once, with ids and codes only', async () => {
      const { tenant, runId, webhook, rows } = await finished(done);
      const data = { tenant, user: 'ana', runId, tier: 'deep', preview: false };
      expect(rows).toEqual([
        {
          event: 'run.finished',
          webhook: webhook.id,
          user: 'ana',
          payload: { ...data, status: 'completed', errorCode: null },
        },
      ]);
      const failed = await finished({
        status: 'failed',
        errorCode: 'step_timeout',
        report: null,
        transient: true,
      });
      expect(failed.rows[0]?.payload).toMatchObject({ status: 'failed', errorCode: 'step_timeout' });
    });

    it('of no run that was put back', async () => {
      expect((await finished({ status: 'abandoned', report: null })).rows).toEqual([]);
    });

    it('of a fusion that failed for good, and not of one that is tried again', async () => {
      const tenant = newTenant();
      const { scope } = await seedBicycles(database, { tenant, user: 'ana' });
      const { webhook } = await register(tenant, ['fusion.failed', 'run.finished']);
      const store = createMemoryStore(database, scope);
      const claimed = await store.claimFusion(clusterOf(await membersOf(database, scope)));
      const fail = (final: boolean) =>
        store.failFusion(claimed.key, { code: 'invalid_output', final, rejectAnswer: false });
      await fail(false);
      expect(await told(tenant)).toEqual([]);
      await fail(true);
      await fail(true);
      const [row, ...more] = await told(tenant);
      expect(more).toEqual([]);
      expect(row).toMatchObject({ event: 'fusion.failed', webhook: webhook.id });
      expect(row!.payload).toEqual({
        tenant,
        user: 'ana',
        key: claimed.key,
        runId: null,
        tier: scope.tier,
        errorCode: 'invalid_output',
      });
    });

    it('of a conflict that waits for a person, once, and never with the words of it', async () => {
      const { webhook } = await register('t', ['conflict.found']);
      const { user, conflict } = await opened();
      const { user: other, id } = await seed(CITIES);
      const store = createConflictStore(database, { tenant: 't', user: other, now: () => NOW });
      const saved = {
        id: crypto.randomUUID(),
        noteIdA: id('york'),
        noteIdB: id('oslo'),
        type: 'contradictory' as const,
        description: 'York or Oslo?',
        resolved: false,
        detectedAt: new Date(NOW).toISOString(),
      };
      await store.saveConflicts([saved]);
      await store.saveConflicts([{ ...saved, description: 'Which city?' }]);
      const settled = await seed(CITIES);
      await createConflictStore(database, { tenant: 't', user: settled.user, now: () => NOW }).saveConflicts([
        {
          ...saved,
          id: crypto.randomUUID(),
          noteIdA: settled.id('york'),
          noteIdB: settled.id('oslo'),
          resolved: true,
        },
      ]);
      const rows = (await told('t')).filter((row) => row.webhook === webhook.id);
      expect(rows.map(({ user: of, payload }) => [of, payload.conflictId, payload.type]).sort()).toEqual(
        [
          [user, conflict.id, 'contradictory'],
          [other, saved.id, 'contradictory'],
        ].sort(),
      );
      expect(JSON.stringify(rows)).not.toMatch(/york|oslo|city/i);
      await inside('t', (tx) => removeWebhook(tx, { tenant: 't', id: webhook.id }));
    });

    it('only of what they asked for, and only while they are active', async () => {
      const tenant = newTenant();
      const [runs, fusions, silent] = [
        await register(tenant, ['run.finished']),
        await register(tenant, ['fusion.failed']),
        await register(tenant),
      ];
      const off = { tenant, id: silent!.webhook.id, active: false, at: NOW };
      await inside(tenant, (tx) => updateWebhook(tx, off));
      await tell(tenant, 2);
      expect((await told(tenant)).map(({ webhook }) => webhook)).toEqual([
        runs!.webhook.id,
        runs!.webhook.id,
      ]);
      expect((await deliveries(tenant, fusions!.webhook.id)).rows).toEqual([]);
    });

    it('of nothing that is rolled back', async () => {
      const tenant = newTenant();
      await register(tenant);
      const events = [{ type: 'run.finished' as const, data: {} }];
      const broken = inside(tenant, async (tx) => {
        await enqueueEvents(tx, { tenant, user: 'ana', at: NOW, events });
        throw new Error('afterwards');
      });
      await expect(broken).rejects.toThrow('afterwards');
      expect(await told(tenant)).toEqual([]);
    });
  });

  describe('deliveries', () => {
    it('belong to whoever took them until the lease ends, and keep their id', async () => {
      const tenant = newTenant();
      const { secret } = await register(tenant);
      await tell(tenant, 6);
      const [mine, yours] = await Promise.all([claim(tenant), claim(tenant)]);
      const ids = [...mine!, ...yours!].map(({ id }) => id);
      expect(new Set(ids).size).toBe(6);
      expect(ids).toHaveLength(6);
      expect([...mine!, ...yours!][0]).toMatchObject({
        secret,
        attempts: 1,
        event: 'run.finished',
        createdAt: NOW,
      });
      expect(await claim(tenant, NOW + LEASE_MS - 1)).toEqual([]);
      const again = await claim(tenant, NOW + LEASE_MS);
      expect(again.map(({ id }) => id).sort()).toEqual(ids.sort());
      expect(again.every(({ attempts }) => attempts === 2)).toBe(true);
      // The one who was slow says nothing about what somebody else has in hand.
      await record(mine![0] ?? yours![0]!, { status: 'delivered', httpStatus: 200 });
      expect(await claim(tenant, NOW + 2 * LEASE_MS)).toHaveLength(6);
    });

    it('end delivered, or given up after the last attempt, and stand in the list page by page', async () => {
      const tenant = newTenant();
      const { webhook } = await register(tenant);
      await tell(tenant, 3);
      const [first, second, third] = await claim(tenant);
      await record(first!, { status: 'delivered', httpStatus: 204 });
      await record(second!, {
        status: 'failed',
        code: 'refused_status',
        httpStatus: 500,
        nextAttemptAt: NOW + 10_000,
      });
      await record(third!, { status: 'failed', code: 'timeout', httpStatus: null, nextAttemptAt: null });
      const ends = {
        nextAttemptAt: null,
        deliveredAt: null,
        gaveUpAt: null,
        lastStatus: null,
        errorCode: null,
      };
      const page = await deliveries(tenant, webhook.id, 2);
      const rest = await deliveries(tenant, webhook.id, 2, page.nextCursor!);
      const byId = new Map([...page.rows, ...rest.rows].map((row) => [row.id, row]));
      expect([page.rows.length, rest.rows.length, rest.nextCursor, byId.size]).toEqual([2, 1, null, 3]);
      expect(byId.get(first!.id)).toMatchObject({ ...ends, deliveredAt: NOW, lastStatus: 204 });
      expect(byId.get(second!.id)).toMatchObject({
        ...ends,
        nextAttemptAt: NOW + 10_000,
        lastStatus: 500,
        errorCode: 'refused_status',
      });
      expect(byId.get(third!.id)).toMatchObject({
        ...ends,
        gaveUpAt: NOW,
        errorCode: 'timeout',
        attempts: 1,
      });
      expect((await claim(tenant, NOW + 10_000)).map(({ id }) => id)).toEqual([second!.id]);
    });

    it('wait while their receiver is left alone, and are given up when it is down for too long', async () => {
      const tenant = newTenant();
      const { webhook } = await register(tenant);
      const other = await register(tenant);
      await tell(tenant, 1, NOW - 90_000);
      await tell(tenant, 2);
      const hold = {
        tenant,
        webhookId: webhook.id,
        at: NOW,
        until: NOW + 30_000,
        createdBefore: NOW - 60_000,
      };
      await database.asDispatcher((tx) => holdDeliveries(tx, hold));
      const now = await claim(tenant);
      expect(new Set(now.map(({ webhookId }) => webhookId))).toEqual(new Set([other!.webhook.id]));
      const later = await claim(tenant, NOW + 30_000);
      expect(later.filter(({ webhookId }) => webhookId === webhook.id)).toHaveLength(2);
      const { rows } = await deliveries(tenant, webhook.id);
      expect(rows.filter(({ gaveUpAt }) => gaveUpAt !== null)).toMatchObject([
        { errorCode: 'receiver_down' },
      ]);
    });

    it('are given up with their webhook, and go with it', async () => {
      const tenant = newTenant();
      const { webhook } = await register(tenant);
      await tell(tenant, 2);
      const [taken] = await claim(tenant, NOW, 1_000);
      const off = { tenant, id: webhook.id, active: false, at: NOW + 1 };
      await inside(tenant, (tx) => updateWebhook(tx, off));
      expect(await claim(tenant, NOW + LEASE_MS)).toEqual([]);
      await record(taken!, { status: 'delivered', httpStatus: 200 });
      const { rows } = await deliveries(tenant, webhook.id);
      expect(rows.map(({ errorCode, deliveredAt }) => [errorCode, deliveredAt])).toEqual([
        ['webhook_inactive', null],
        ['webhook_inactive', null],
      ]);
      await inside(tenant, (tx) => removeWebhook(tx, { tenant, id: webhook.id }));
      expect(await told(tenant)).toEqual([]);
    });

    it('are counted while they wait, and dropped some time after they ended', async () => {
      const tenant = newTenant();
      const { webhook } = await register(tenant);
      const before = (await database.asDispatcher(countPendingDeliveries)).pending;
      await tell(tenant, 3);
      const counted = await database.asDispatcher(countPendingDeliveries);
      expect(counted.pending - before).toBe(3);
      expect(counted.oldestAt).toBeLessThanOrEqual(NOW);
      const [delivered, given] = await claim(tenant);
      await record(delivered!, { status: 'delivered', httpStatus: 200 });
      await record(given!, { status: 'failed', code: 'timeout', httpStatus: null, nextAttemptAt: null });
      const prune = (deliveredBefore: number, gaveUpBefore: number) =>
        database.asDispatcher((tx) => pruneDeliveries(tx, { deliveredBefore, gaveUpBefore, limit: 1_000 }));
      const left = async () => (await deliveries(tenant, webhook.id)).rows.map(({ id }) => id);
      await prune(NOW, NOW);
      expect(await left()).toHaveLength(3);
      await prune(NOW + 1, NOW);
      expect(await left()).not.toContain(delivered!.id);
      await prune(NOW + 1, NOW + 1);
      expect(await left()).not.toContain(given!.id);
      expect(await left()).toHaveLength(1);
    });

    it('go with their user', async () => {
      const tenant = newTenant();
      await seedUser(database, { tenant, user: 'ana', memories: [newMemory('ana', 'm', 'Ana likes tea.')] });
      await register(tenant);
      await tell(tenant);
      expect(await told(tenant)).toHaveLength(1);
      await inside(tenant, (tx) => tx.rows(sql`delete from slowwave.leases where tenant = ${tenant}`));
      await forget(database, { tenant, user: 'ana', at: NOW, actor: 'operator', target: { user: true } });
      expect(await told(tenant)).toEqual([]);
    });
  });
});
