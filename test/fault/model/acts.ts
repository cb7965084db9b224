import { ensureUsers, insertMemories, insertRelations } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { fillTier } from '../../../apps/producer/src/fill.ts';
import { THING_COUNT, tokenOf } from '../../fixtures/facts/sentences.ts';
import { DAY, newMemory } from '../../fixtures/memories.ts';
import { textOf } from './answers.ts';
import { compare } from './compare.ts';
import { deliver, requeue, resume } from './deliver.ts';
import { changeByHand, type HandAct, isHandPossible } from './hands.ts';
import type { Entry } from './line.ts';
import { hashOf } from './observe.ts';
import { newTier, tick } from './schedule.ts';
import { type End, tenantOf } from './service.ts';
import { failed, lost, type Stage, twin, waiting } from './stage.ts';
import {
  BEGAN,
  HOUR,
  type Manner,
  type MemoryModel,
  type Model,
  note,
  pickOf,
  type Trouble,
  type UserModel,
  usersOf,
} from './state.ts';

/** What may happen. `pick` chooses among what there is at that time. */
export type Act =
  | { do: 'addUser' | 'giveBack' | 'flush' | 'restart' }
  | { do: 'write'; pick: number; count: number }
  | { do: 'pass'; ms: number }
  | { do: 'tick'; tier: Tier }
  | { do: 'deliver'; pick: number; end: End | null }
  | { do: 'resume' | 'double' | 'lose' | 'retry' | 'requeue' | 'expire'; pick: number }
  | { do: 'manner'; manner: Manner }
  | { do: 'trouble'; trouble: Trouble }
  | HandAct;

/** Each act takes a second, so that no two things happen at one instant. */
const SECOND = 1_000;
const USERS_MAX = 3;
/** Beyond it memories fade out of reach, and the journal of a derived one is no longer all there is to undo. */
const PASSED_MAX = 12 * DAY;

const BRINGS_WORK: readonly Act[] = [
  { do: 'pass', ms: 7 * HOUR },
  { do: 'tick', tier: 'deep' },
  { do: 'tick', tier: 'sleep' },
];

const writers = (model: Model, count: number): UserModel[] =>
  usersOf(model).filter(({ serial }) => serial + count <= THING_COUNT);
const held = (model: Model): UserModel[] => usersOf(model).filter(({ lease }) => lease.state === 'held');

export function isPossible(model: Model, act: Act): boolean {
  switch (act.do) {
    case 'addUser':
      return model.users.size < USERS_MAX;
    case 'write':
      return writers(model, act.count).length > 0;
    case 'pass':
      return model.at + act.ms - BEGAN < PASSED_MAX;
    case 'deliver':
      return model.users.size > 0;
    case 'double':
    case 'lose':
      return waiting(model).length > 0;
    case 'resume':
      return model.stalled.length > 0;
    case 'retry':
      return failed(model).length > 0;
    case 'requeue':
      return lost(model).length > 0;
    case 'expire':
      return held(model).length > 0;
    case 'giveBack':
      return model.line.entries().some(({ state }) => state === 'active');
    case 'flush':
      return model.line.entries().length > 0;
    case 'restart':
    case 'tick':
    case 'trouble':
      return true;
    case 'manner':
      return act.manner !== model.manner;
    default:
      return isHandPossible(model, act);
  }
}

/** Does it to the service and to the model, and holds the two against each other. */
export async function perform(model: Model, stage: Stage, act: Act): Promise<void> {
  if (act.do === 'deliver' && waiting(model).length === 0) {
    // Nothing waits: a day goes on until something does.
    for (const first of BRINGS_WORK) if (isPossible(model, first)) await perform(model, stage, first);
    if (waiting(model).length === 0) return;
  }
  model.at += SECOND;
  stage.service.told.at = model.at;
  note(model, act.do);
  await actOn(model, stage, act);
  await compare(model, stage.service, stage.names, `after ${JSON.stringify(act)}`);
}

async function actOn(model: Model, stage: Stage, act: Act): Promise<void> {
  const { service } = stage;
  switch (act.do) {
    case 'addUser':
      return addUser(model, stage);
    case 'write':
      return write(model, stage, pickOf(writers(model, act.count), act.pick)!, act.count);
    case 'pass':
      model.at += act.ms;
      service.told.at = model.at;
      return;
    case 'tick': {
      const { database } = service.told;
      // Upkeep is the ticker's, and has tests of its own.
      const { upkeep: _, ...summary } = await fillTier(
        { database, queues: service.producing, logger: service.logger, now: () => model.at, queueCap: 50 },
        { tier: act.tier, requeueAfterMs: 600_000 },
      );
      const wanted = { tier: act.tier, ...tick(model, act.tier), refused: 0, full: false };
      if (JSON.stringify(sortedKeys(summary)) !== JSON.stringify(sortedKeys(wanted)))
        throw new Error(`the tick says ${JSON.stringify(summary)}, not ${JSON.stringify(wanted)}`);
      return;
    }
    case 'deliver':
      return deliver(model, stage, act);
    case 'resume':
      return resume(model, stage, pickOf(model.stalled, act.pick)!);
    case 'double':
      return both(model, stage, waiting(model), act.pick, (line, entry) => void line.double(entry));
    case 'lose':
      return both(model, stage, waiting(model), act.pick, (line, entry) => line.lose(entry));
    case 'retry':
      return both(model, stage, failed(model), act.pick, (line, entry) => line.retry(entry));
    case 'requeue':
      return requeue(model, stage, pickOf(lost(model), act.pick)!);
    case 'giveBack':
      model.line.giveBack();
      return void service.line.giveBack();
    case 'flush':
      model.line.flush();
      return service.line.flush();
    case 'restart':
      return restart(model, stage);
    case 'expire':
      return expire(model, stage, pickOf(held(model), act.pick)!);
    case 'manner':
      model.manner = act.manner;
      service.told.manner = act.manner;
      return;
    case 'trouble':
      model.trouble = act.trouble;
      service.told.trouble = act.trouble;
      return;
    default:
      return changeByHand(model, stage, act);
  }
}

const sortedKeys = (value: object) => Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));

async function both(
  model: Model,
  stage: Stage,
  among: { label: string; entry: Entry }[],
  pick: number,
  work: (line: Model['line'], entry: Entry) => void,
): Promise<void> {
  const { label, entry } = pickOf(among, pick)!;
  const real = twin(stage, label);
  work(model.line, entry);
  work(stage.service.line, real);
}

async function addUser(model: Model, { service }: Stage): Promise<void> {
  const name = `u${model.users.size}`;
  const tenant = tenantOf(name);
  await service.told.database.withTenant(tenant, (tx) =>
    ensureUsers(tx, [{ tenant, user: name, quietStart: 0, quietEnd: 0 }], model.at),
  );
  model.users.set(name, {
    tenant,
    name,
    mode: 'auto',
    lease: { fence: 0, state: 'none' },
    quarantined: false,
    quarantineCode: null,
    tiers: { light: newTier(model.at), deep: newTier(Number.NaN), sleep: newTier(Number.NaN) },
    runs: [],
    memories: new Map(),
    bare: false,
    forgotten: new Set(),
    groups: 0,
    serial: 0,
    fusions: new Map(),
  });
}

/** A chain of memories about things of their own, said three months ago: faded, and so within reach of the tiers. */
async function write(model: Model, { service, names }: Stage, user: UserModel, count: number): Promise<void> {
  const { tenant, name: owner } = user;
  const group = user.groups;
  const fresh: MemoryModel[] = Array.from({ length: count }, () => {
    const serial = user.serial++;
    const fact = { thing: serial, token: tokenOf(model.tokens++) };
    names.tokens.set(hashOf(textOf(fact)), fact.token);
    return { name: `g${group}m${serial}`, group, fact, version: 1, by: null };
  });
  user.groups += 1;
  for (const memory of fresh) user.memories.set(memory.name, memory);
  const said = BEGAN - 90 * DAY;
  await service.told.database.withTenant(tenant, async (tx) => {
    await insertMemories(tx, {
      tenant,
      at: model.at,
      memories: fresh.map(({ name, fact }) =>
        newMemory(owner, name, textOf(fact), { documentDate: said + fact.thing * 1_000 }),
      ),
    });
    await insertRelations(tx, {
      tenant,
      at: model.at,
      relations: fresh.slice(1).map((memory, i) => ({
        user: owner,
        sourceExternalId: fresh[i]!.name,
        targetExternalId: memory.name,
        relationType: 'EXTENDS' as const,
        // A weight of its own, so that the order of the work is known.
        confidence: 0.9 - group / 100,
      })),
    });
  });
}

/** Every process ends where it is, and others come with connections of their own. */
async function restart(model: Model, stage: Stage): Promise<void> {
  const { service, stopped } = stage;
  for (const one of service.stalled.values()) await one.drop();
  service.stalled.clear();
  stopped.clear();
  model.stalled = [];
  await stage.reopen();
}

/** Of one user, as if its time were over. */
async function expire(_model: Model, { service }: Stage, user: UserModel): Promise<void> {
  user.lease.state = 'expired';
  await service.told.database.asOwner((tx) =>
    tx.rows(
      sql`update slowwave.leases set expires_at = clock_timestamp() - interval '1 second' where tenant = ${user.tenant} and user_id = ${user.name}`,
    ),
  );
}
