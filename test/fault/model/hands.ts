import {
  approveFusion,
  editMemory,
  forget,
  pauseTier,
  pauseUser,
  rejectFusion,
  releaseUser,
  requestRun,
  resumeTier,
  resumeUser,
  setMode,
  type UserMode,
} from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { tokenOf } from '../../fixtures/facts/sentences.ts';
import { textOf } from './answers.ts';
import { apply } from './commit.ts';
import * as memory from './memory.ts';
import { hashOf } from './observe.ts';
import { expireReviews } from './reviews.ts';
import { abandonRuns, release, releaseLease, requestRun as requestInModel, takeLease } from './schedule.ts';
import type { Stage } from './stage.ts';
import {
  type FusionModel,
  fusionsOf,
  type Model,
  makeStale,
  memoriesOf,
  note,
  pickOf,
  type UserModel,
  usersOf,
} from './state.ts';
import { every, fused, keyOf, made, mustBe, type Owned, refusalOf, takeBack, whose } from './take-back.ts';

/** What people do. */
export type HandAct =
  | { do: 'edit' | 'forget' | 'approve' | 'reject' | 'release'; pick: number }
  | { do: 'ask' | 'pauseUser' | 'resumeUser'; pick: number; tier: Tier }
  | { do: 'pauseTier' | 'resumeTier'; tier: Tier }
  | { do: 'mode'; pick: number; mode: UserMode }
  | { do: 'undo' | 'redo'; what: 'fusion' | 'run'; pick: number };

const latest = (model: Model) => every(model, (user) => memoriesOf(user).filter(memory.isLatest));
const inReview = (model: Model) =>
  every(model, (user) => fusionsOf(user).filter(({ status }) => status === 'review'));
export function isHandPossible(model: Model, act: HandAct): boolean {
  switch (act.do) {
    case 'edit':
      return latest(model).length > 0;
    case 'forget':
      return every(model, memoriesOf).length > 0;
    case 'approve':
    case 'reject':
      return inReview(model).length > 0;
    case 'undo':
    case 'redo':
      return (act.what === 'fusion' ? made(model) : fused(model)).length > 0;
    case 'release':
      return usersOf(model).some(({ quarantined }) => quarantined);
    case 'pauseTier':
      return !model.pausedTiers.has(act.tier);
    case 'resumeTier':
      return model.pausedTiers.has(act.tier);
    default:
      return model.users.size > 0;
  }
}

export async function changeByHand(model: Model, stage: Stage, act: HandAct): Promise<void> {
  const { database } = stage.service.told;
  const { at } = model;
  switch (act.do) {
    case 'edit':
      return edit(model, stage, pickOf(latest(model), act.pick)!);
    case 'forget': {
      const { user, item } = pickOf(every(model, memoriesOf), act.pick)!;
      memory.forget(model, user, item.name);
      const target = { memory: item.name };
      await forget(database, { tenant: user.tenant, user: user.name, target, at, actor: null });
      return;
    }
    case 'approve':
      return approve(model, stage, pickOf(inReview(model), act.pick)!);
    case 'reject': {
      const { user, item } = pickOf(inReview(model), act.pick)!;
      Object.assign(item, { status: 'rejected', reviewEnds: null });
      item.live.clear();
      await rejectFusion(database, { ...whose(user), key: keyOf(stage, user, item), at, by: 'somebody' });
      return;
    }
    case 'undo':
    case 'redo':
      return takeBack(model, stage, act);
    case 'pauseTier':
      model.pausedTiers.add(act.tier);
      return void (await database.asDispatcher((tx) => pauseTier(tx, { tier: act.tier, at })));
    case 'resumeTier':
      model.pausedTiers.delete(act.tier);
      return void (await database.asDispatcher((tx) => resumeTier(tx, { tier: act.tier })));
    case 'release': {
      const user = pickOf(
        usersOf(model).filter(({ quarantined }) => quarantined),
        act.pick,
      )!;
      release(user);
      return void (await database.withTenant(user.tenant, (tx) => releaseUser(tx, whose(user))));
    }
    default:
      return change(model, stage, pickOf(usersOf(model), act.pick)!, act);
  }
}

async function change(
  model: Model,
  { service, names }: Stage,
  user: UserModel,
  act: Extract<HandAct, { do: 'ask' | 'pauseUser' | 'resumeUser' | 'mode' }>,
): Promise<void> {
  const { at } = model;
  const of = whose(user);
  await service.told.database.withTenant(user.tenant, async (tx) => {
    switch (act.do) {
      case 'mode':
        user.mode = act.mode;
        return void (await setMode(tx, { ...of, mode: act.mode, at }));
      case 'ask': {
        const wanted = requestInModel(model, user, act.tier);
        const given = await requestRun(tx, { ...of, tier: act.tier, at });
        if (given.status !== 'requested' || wanted === null) {
          if (given.status !== 'quarantined' || wanted !== null)
            throw new Error(`asking came to ${given.status}`);
          return;
        }
        if (!given.existing) names.runs.set(given.runId, wanted);
        return void (await service.producing.addAdhoc({
          v: 1,
          ...of,
          tier: act.tier,
          why: 'adhoc',
          runId: given.runId,
        }));
      }
      default: {
        user.tiers[act.tier].paused = act.do === 'pauseUser';
        await (act.do === 'pauseUser' ? pauseUser : resumeUser)(tx, { ...of, tiers: [act.tier] });
      }
    }
  });
}

async function edit(
  model: Model,
  { service, names }: Stage,
  { user, item }: { user: UserModel; item: Parameters<typeof memory.edit>[1] },
): Promise<void> {
  const token = tokenOf(model.tokens++);
  memory.edit(user, item, token);
  const content = textOf(item.fact);
  names.tokens.set(hashOf(content), token);
  await service.told.database.withTenant(user.tenant, (tx) =>
    editMemory(tx, { ...whose(user), id: item.name, content, at: model.at, actor: null }),
  );
}

async function approve(model: Model, stage: Stage, { user, item }: Owned<FusionModel>): Promise<void> {
  const key = keyOf(stage, user, item);
  let wanted: string | null = null;
  const takenOver = user.lease.state === 'expired';
  const fence = takeLease(model, user);
  if (fence === null) wanted = 'busy';
  else {
    if (takenOver) abandonRuns(model, user, fence);
    if (item.reviewEnds! <= model.at) {
      wanted = 'expired';
      expireReviews(model, user, model.at);
    } else if (!item.members.every((member) => memory.isAsPlanned(user, member))) makeStale(item);
    else {
      item.fence = fence;
      apply(user, item, item.runLabel);
      note(model, 'approved');
    }
    releaseLease(user, fence);
  }
  const decision = { ...whose(user), key, at: model.at, by: 'somebody' };
  const given = await refusalOf(() => approveFusion(stage.service.told.database, decision, { waitMs: 0 }));
  mustBe('the approval', wanted, given);
}
