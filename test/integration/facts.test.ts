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
import { runsInScope } from '../scope.ts';

const LIVES = runsInScope({ change: 5, rest: 40 });
/** A life that fails is made shorter for as long as this, ms; a slow machine lives fewer lives. */
const PATIENCE = 300_000;
/** What happens in the lives that are written down, whatever is drawn for the others. */
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

it('the lives that are written down leave nothing out', () => {
  const shown = Object.values(HARD_LIVES).flatMap(({ shows }) => shows);
  expect(shown).toEqual(expect.arrayContaining(HAPPENED));
});

describe.each(DATABASES)('whatever happens to facts (%s)', (_name, open) => {
  let fixture: DatabaseFixture;

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

  /** @returns what happened, and how often */
  async function live(life: readonly Operation[]): Promise<Map<string, number>> {
    const world = newWorld(fixture.database);
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
    return world.seen;
  }

  it.each(Object.entries(HARD_LIVES))('they outlive %s', async (_what, { does, shows }) => {
    const seen = await live(does);
    expect([...seen.keys()]).toEqual(expect.arrayContaining(shows));
  });

  it('none is lost and none invented, and all of it can be undone', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (life) => void (await live(life))),
      {
        numRuns: LIVES,
        interruptAfterTimeLimit: PATIENCE,
      },
    );
  }, 600_000);
});
