import {
  countForgets,
  createMemoryStore,
  type Database,
  type FailpointName,
  nothingForgotten,
  storeAnswer,
  storeBehaviour,
  storeEmbeddings,
} from '@slowwave/db';
import { updateBehaviour } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { commitStatement, derivedIn } from '../fixtures/commit-statement.ts';
import { serverFixture } from '../fixtures/databases.ts';
import { answer, CANARY, flightPeople } from '../fixtures/forgetting-flight.ts';
import { fuseMembers } from '../fixtures/fused.ts';
import { clusterOf, derivedOf, NOW } from '../fixtures/memories.ts';
import { isWaiting } from '../fixtures/overlap.ts';
import { until } from '../fixtures/wait.ts';

const tenant = 't';

describe('forgetting beside others (server)', () => {
  const { database, inTenant, rows, forgetting, person, holding } = flightPeople(serverFixture);

  const waiting = () => until('somebody to wait for a lock', () => isWaiting(database));
  /** The same database; something happens before each statement that passes the test. */
  const watched = (before: (text: string) => Promise<void>): Database => ({
    ...database,
    withTenant: (of, work) =>
      database.withTenant(of, (tx) =>
        work({
          async rows(query) {
            await before(JSON.stringify(query.queryChunks));
            return tx.rows(query);
          },
        }),
      ),
  });
  const once = (pattern: RegExp, work: () => Promise<unknown>) => {
    let done = false;
    return async (text: string) => {
      if (done || !pattern.test(text)) return;
      done = true;
      await work();
    };
  };

  async function planned() {
    const of = await person();
    const store = createMemoryStore(database, of.scope);
    const claim = await store.claimFusion(clusterOf(of.members));
    if (claim.status !== 'claimed') throw new Error(claim.reason);
    await store.storeAnswer(claim.key, claim.attempt, answer(`{"statements":["${CANARY}"]}`));
    const derived = derivedOf(of.members, { content: `About the ${CANARY}` });
    return { ...of, key: claim.key, derived };
  }

  it('a commit that is ahead ends first, and what it made goes too', async () => {
    const { user, scope, key, members, derived, ids } = await planned();
    let begun: ReturnType<typeof forgetting> | undefined;
    const failpoints = async (name: FailpointName) => {
      if (name !== 'after-supersede') return;
      begun = forgetting(user, { memory: 'm0' });
      begun.catch(() => undefined);
      await waiting();
    };
    const committed = await commitStatement(database, scope, { key, members, derived }, { failpoints });
    expect(committed).toMatchObject({ status: 'applied', superseded: 3 });
    const result = await begun!;
    expect(result.removed.memories).toEqual([
      { id: ids[0], why: 'asked' },
      { id: derivedIn(committed), why: 'derived' },
    ]);
    expect(result.reopened.sort()).toEqual(ids.slice(1).sort());
    expect(await holding(user)).toEqual([]);
  });

  it('a commit that is behind waits, and writes nothing', async () => {
    const { user, scope, key, members, derived } = await planned();
    let begun: Promise<unknown> | undefined;
    const slow = watched(
      once(/delete from slowwave\.memories/, async () => {
        begun = commitStatement(database, scope, { key, members, derived });
        await waiting();
      }),
    );
    await forgetting(user, { memory: 'm0' }, slow);
    expect(await begun).toEqual({ status: 'stopped', reason: 'forgotten' });
    expect(await holding(user)).toEqual([]);
  });

  it('what was made between looking and locking is found', async () => {
    const { user, scope, members } = await person();
    let made: { derivedId: string } | null = null;
    const slow = watched(
      once(/from slowwave\.fusions where[\s\S]*order by key for update/, async () => {
        made = await fuseMembers(database, scope, members, { content: `Of the ${CANARY}` });
      }),
    );
    const result = await forgetting(user, { memory: 'm0' }, slow);
    expect(result.removed.memories.map(({ why }) => why)).toEqual(['asked', 'derived']);
    expect(result.removed.memories[1]!.id).toBe(made!.derivedId);
    expect(await holding(user)).toEqual([]);
  });

  it('a statement of other sources that was made between looking and locking is found', async () => {
    const { user, scope, key, members } = await planned();
    const others = members.slice(1);
    const leaking = derivedOf(others, {
      content: `Of the ${CANARY}`,
      coveredIds: others.map(({ id }) => id),
    });
    const slow = watched(
      once(/from slowwave\.fusions where[\s\S]*order by key for update/, async () => {
        const made = await commitStatement(database, scope, { key, members, derived: leaking });
        expect(made.status).toBe('applied');
      }),
    );
    const result = await forgetting(user, { memory: 'm0' }, slow);
    expect(result.removed.memories.map(({ why }) => why)).toEqual(['asked', 'derived']);
    expect(await holding(user)).toEqual([]);
  });

  it('whoever stores an answer waits, and drops it', async () => {
    const { user, ids } = await person();
    const forgets = await inTenant((tx) => countForgets(tx, { tenant, user }));
    const input = {
      tenant,
      user,
      attempt: 1,
      runId: null,
      answer: answer(CANARY),
      at: NOW,
    };
    for (const more of [
      { key: 'a'.repeat(64), step: 'rem' as const, memoryIds: [ids[0]!], sessionIds: [] },
      { key: 'b'.repeat(64), step: 'summaries' as const, memoryIds: [], sessionIds: ['s'], forgets },
    ]) {
      const { user: another, ids: theirs } = more.step === 'rem' ? { user, ids } : await person();
      const memoryIds = more.step === 'rem' ? [theirs[0]!] : [];
      let begun: Promise<boolean> | undefined;
      const slow = watched(
        once(/delete from slowwave\.memories/, async () => {
          begun = inTenant((tx) => storeAnswer(tx, { ...input, ...more, user: another, memoryIds }));
          await waiting();
        }),
      );
      await forgetting(another, { memory: 'm0' }, slow);
      expect(await begun).toBe(false);
      expect(await holding(another)).toEqual([]);
    }
  });

  it('a vector that is being stored waits, and is left out', async () => {
    const { user, members } = await person();
    let begun: Promise<string[]> | undefined;
    const embeddings = members.map(({ id, contentHash }) => ({
      id,
      contentHash,
      vector: Float32Array.from([1, 2, 3]),
    }));
    const slow = watched(
      once(/insert into slowwave\.change_sets/, async () => {
        begun = inTenant((tx) => storeEmbeddings(tx, { tenant, user, model: 'three', at: NOW, embeddings }));
        await waiting();
      }),
    );
    await forgetting(user, { memory: 'm0' }, slow);
    expect(await begun).toHaveLength(2);
  });

  it('a run that holds the user finds that it no longer does', async () => {
    const { user, scope, key, members, derived } = await planned();
    let begun: Promise<unknown> | undefined;
    const slow = watched(
      once(/delete from .*slowwave\.leases/, async () => {
        begun = commitStatement(database, scope, { key, members, derived });
        await waiting();
      }),
    );
    await forgetting(user, { user: true }, slow);
    expect(await begun).toMatchObject({ status: 'lease_lost' });
    expect(await rows(sql`select 1 from slowwave.users where id = ${user}`)).toEqual([]);
    expect(await holding(user)).toEqual([]);
  });

  it('two that forget at once both end well', async () => {
    const { user, scope, members } = await person();
    await fuseMembers(database, scope, members, { content: `Of the ${CANARY}` });
    const both = await Promise.all(['m0', 'm1'].map((memory) => forgetting(user, { memory })));
    expect(both.map(({ status }) => status)).toEqual(['done', 'done']);
    expect(await holding(user)).toEqual([]);
    const left = await rows(
      sql`select external_id as name, is_latest as latest from slowwave.memories where user_id = ${user}`,
    );
    expect(left).toEqual([{ name: 'm2', latest: true }]);
  });

  it('a behaviour read before is not stored after', async () => {
    const { user } = await person();
    const of = { tenant, user };
    const forgets = await inTenant((tx) => countForgets(tx, of));
    const hours = Array.from({ length: 24 }, () => 0);
    const day = { day: '2026-06-14', messages: 4, characters: 80, questions: 1, topics: [CANARY] };
    const behaviour = updateBehaviour(null, [{ ...day, hours, at: NOW }])!;
    let begun: Promise<boolean> | undefined;
    const slow = watched(
      once(/insert into slowwave\.change_sets/, async () => {
        begun = inTenant(async (tx) => {
          if (!(await nothingForgotten(tx, { ...of, forgets }))) return false;
          await storeBehaviour(tx, { ...of, behaviour, through: NOW, at: NOW });
          return true;
        });
        await waiting();
      }),
    );
    await forgetting(user, { memory: 'm0' }, slow);
    expect(await begun).toBe(false);
    expect(await holding(user)).toEqual([]);
  });
});
