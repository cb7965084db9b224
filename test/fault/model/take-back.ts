import { ReviewRefused, redo, UndoRefused, undo } from '@slowwave/db';
import * as memory from './memory.ts';
import type { Stage } from './stage.ts';
import {
  type FusionModel,
  fusionsOf,
  type Model,
  note,
  pickOf,
  type RunModel,
  statementsOf,
  type UserModel,
  usersOf,
} from './state.ts';

export interface Owned<T> {
  user: UserModel;
  item: T;
}

export const every = <T>(model: Model, list: (user: UserModel) => readonly T[]): Owned<T>[] =>
  usersOf(model).flatMap((user) => list(user).map((item) => ({ user, item })));
/** Statements that were ever applied, and requests that have such. */
export const made = (model: Model) =>
  every(model, (user) => fusionsOf(user).filter((fusion) => madeBy(user, fusion).length > 0));
const madeBy = (user: UserModel, fusion: FusionModel): FusionModel[] =>
  [fusion, ...statementsOf(user, fusion.id)].filter(({ applied }) => applied !== null);
/** Runs that a fusion was ever applied under. */
export const fused = (model: Model): Owned<RunModel>[] =>
  every(model, (user) =>
    user.runs.filter(({ label }) => fusionsOf(user).some(({ applied }) => applied?.runLabel === label)),
  );

export const whose = ({ tenant, name }: UserModel) => ({ tenant, user: name });

export function keyOf({ names }: Stage, user: UserModel, fusion: FusionModel): string {
  for (const [full, id] of names.fusions) {
    const [owner, key] = full.split(' ');
    if (owner === user.name && id === fusion.id) return key!;
  }
  throw new Error(`no key is known of ${fusion.id}`);
}

/** @returns the code of a refusal, null when it was done */
export async function refusalOf(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof ReviewRefused || error instanceof UndoRefused) return error.code;
    throw error;
  }
}

export function mustBe(what: string, wanted: string | null, given: string | null): void {
  if (wanted !== given) throw new Error(`${what} came to ${given ?? 'an end'}, not ${wanted ?? 'an end'}`);
}

export async function takeBack(
  model: Model,
  stage: Stage,
  act: { do: 'undo' | 'redo'; what: 'fusion' | 'run'; pick: number },
): Promise<void> {
  const { do: wanted, what, pick } = act;
  let user: UserModel;
  let concerned: FusionModel[];
  let target: { fusion: string } | { run: string };
  if (what === 'fusion') {
    const found = pickOf(made(model), pick)!;
    user = found.user;
    concerned = madeBy(user, found.item);
    target = { fusion: keyOf(stage, user, found.item) };
  } else {
    const found = pickOf(fused(model), pick)!;
    user = found.user;
    const { label } = found.item;
    concerned = fusionsOf(user).filter(({ applied }) => applied?.runLabel === label);
    target = { run: [...stage.names.runs].find(([, name]) => name === label)![0] };
  }
  const allowed = takeBackInModel(user, concerned, wanted);
  if (allowed) note(model, `${wanted} ${what}`);
  const work = wanted === 'undo' ? undo : redo;
  const input = { ...whose(user), target, at: model.at, actor: null };
  const given = await refusalOf(() => work(stage.service.told.database, input));
  if ((given === null) !== allowed)
    throw new Error(`${wanted} ${what} came to ${given}, though it was${allowed ? '' : ' not'} allowed`);
}

/** All that is to be taken back, or nothing. @returns whether it may be */
function takeBackInModel(
  user: UserModel,
  concerned: readonly FusionModel[],
  wanted: 'undo' | 'redo',
): boolean {
  const fitting = concerned.filter(({ applied }) => applied!.undone === (wanted === 'redo'));
  if (fitting.length === 0) return false;
  // What was forgotten has left no image: nothing that it was part of comes back.
  if (fitting.some(({ status }) => status === 'forgotten')) return false;
  if (!fitting.every((fusion) => (wanted === 'undo' ? memory.mayUndo(fusion) : memory.mayRedo(user, fusion))))
    return false;
  for (const fusion of fitting) {
    if (wanted === 'undo') memory.undo(user, fusion);
    else memory.redo(user, fusion);
  }
  return true;
}
