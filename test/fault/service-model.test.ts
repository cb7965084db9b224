import { type Database, openServer } from '@slowwave/db';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { runsInScope } from '../scope.ts';
import { type Act, isPossible, perform } from './model/acts.ts';
import { BEGINNING, lives } from './model/commands.ts';
import { newNames } from './model/compare.ts';
import { rest } from './model/rest.ts';
import { createService, leave, type Service } from './model/service.ts';
import type { Stage } from './model/stage.ts';
import { type Model, newModel } from './model/state.ts';
import { WRITTEN } from './model/written.ts';

/** Lives on each kind of database, and acts of a life. */
const LIVES = Number(process.env.MODEL_RUNS ?? runsInScope({ change: 6, rest: 12 }));
const ACTS = Number(process.env.MODEL_COMMANDS ?? 30);
const SEED = process.env.MODEL_SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.MODEL_SEED);
/** One life to be lived again in the place of all others: the acts of a counterexample as a JSON list. */
const LIFE: Act[] | null = process.env.MODEL_LIFE ? JSON.parse(process.env.MODEL_LIFE) : null;
const TOLD = LIFE === null ? WRITTEN : { 'the life given': { does: LIFE, shows: 'addUser' } };
/** A life that fails is made shorter for as long as this, ms. */
const PATIENCE = 600_000;
/** A life takes a second or two, on a busy machine much longer. */
const LIFE_MS = 600_000;

describe.each(DATABASES)('the whole service against a small model (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let opened: Database | null = null;
  const seen = new Map<string, number>();

  beforeAll(async () => {
    fixture = await open();
  });
  afterAll(async () => {
    await opened?.close();
    await fixture?.drop();
  });

  /** New connections, as the processes after a restart have them; the embedded database is in this process. */
  async function reopen({ told }: Service): Promise<void> {
    if (fixture.url === null) return;
    await opened?.close();
    opened = await openServer({ url: fixture.url, poolSize: 4, connectTimeoutMs: 60_000 });
    told.database = opened;
  }

  /** Nobody is left of the life before, not even of one that failed. */
  async function newStage(): Promise<{ model: Model; real: Stage }> {
    await leave(fixture.database);
    const service = createService(fixture.database);
    const model = newModel();
    const stage: Stage = { service, names: newNames(), stopped: new Map(), reopen: () => reopen(service) };
    for (const act of BEGINNING) await perform(model, stage, act);
    return { model, real: stage };
  }

  it.each(Object.entries(TOLD))(
    'agrees with it through %s',
    async (_what, { does, shows }) => {
      const { model, real } = await newStage();
      for (const act of does) if (isPossible(model, act)) await perform(model, real, act);
      await rest(model, real);
      expect([...model.seen.keys()]).toContain(shows);
    },
    LIFE_MS,
  );

  if (LIFE !== null) return;

  it(
    'agrees with it after every step, and comes to rest',
    async () => {
      await fc.assert(
        fc.asyncProperty(lives(ACTS), async (life) => {
          const setup = await newStage();
          await fc.asyncModelRun(async () => setup, life);
          await rest(setup.model, setup.real);
          for (const [what, count] of setup.model.seen) seen.set(what, (seen.get(what) ?? 0) + count);
        }),
        { numRuns: LIVES, seed: SEED, interruptAfterTimeLimit: PATIENCE },
      );
      expect(seen.get('committed') ?? 0).toBeGreaterThan(0);
      if (process.env.MODEL_TELL) console.log([...seen].sort(([a], [b]) => (a < b ? -1 : 1)));
    },
    PATIENCE,
  );
});
