import { ForgetRefused, forget } from '@slowwave/db';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { HARD_LIVES } from '../fixtures/facts/hard-lives.ts';
import { type Operation, operations } from '../fixtures/facts/operations.ts';
import { perform } from '../fixtures/facts/perform.ts';
import { brokenPromises } from '../fixtures/facts/promise.ts';
import { rowsLeft } from '../fixtures/facts/tables.ts';
import { unwind } from '../fixtures/facts/unwind.ts';
import { newWorld, noteEnds, type World } from '../fixtures/facts/world.ts';

const LIVES = 40;
/** A life that fails is made shorter for as long as this, ms; a slow machine lives fewer lives. */
const PATIENCE = 300_000;
/** What happens in so many lives, one way or another: or they would show nothing. */
const HAPPENED = [
  'died',
  'fusion applied',
  'fusion failed',
  'approved',
  'edited',
  'edited and undone',
  'forgotten',
  'settled',
  'undo changeSet',
  'undo fusion',
  'undo run',
];

describe.each(DATABASES)('whatever happens to facts (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  const seen = new Map<string, number>();

  beforeAll(async () => {
    fixture = await open();
  });
  afterAll(() => fixture?.drop());

  /** Nothing of one life is there in the next, not even of one that failed. */
  async function leave({ database, tenant, user, at }: World): Promise<void> {
    const target = { user: true } as const;
    await forget(database, { tenant, user, target, at, actor: null }).catch((error: unknown) => {
      if (!(error instanceof ForgetRefused && error.code === 'unknown_user')) throw error;
    });
  }

  async function live(life: readonly Operation[]): Promise<void> {
    const world = newWorld(fixture.database, seen);
    await leave(world);
    for (const [i, operation] of life.entries()) {
      await perform(world, operation);
      expect(await brokenPromises(world), `after operation ${i}, ${operation.do}`).toEqual([]);
    }
    await noteEnds(world);
    expect(await unwind(world), 'after undoing everything').toEqual([]);
    expect(await brokenPromises(world), 'after undoing everything').toEqual([]);
    await leave(world);
    expect(await rowsLeft(fixture.database, world), 'after forgetting the user').toEqual({});
  }

  it.each(Object.entries(HARD_LIVES))('they outlive %s', (_what, life) => live(life), 60_000);

  it('none is lost and none invented, and all of it can be undone', async () => {
    await fc.assert(fc.asyncProperty(operations, live), {
      numRuns: LIVES,
      interruptAfterTimeLimit: PATIENCE,
    });
    expect([...seen.keys()]).toEqual(expect.arrayContaining(HAPPENED));
  }, 600_000);
});
