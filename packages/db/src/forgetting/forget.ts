import { forgetAnswers } from '../access/repeats.ts';
import { forgetBatched } from '../batches/forget.ts';
import type { Database, Transaction } from '../database.ts';
import { DatabaseError } from '../errors.ts';
import { requireName, requireTime } from '../input-error.ts';
import { removeQuestions, removeSaid, unlearnProfile } from './conversations.ts';
import { dropForgottenImages } from './journal-images.ts';
import { emptyAnswers, endFusions, removeThoughts, resetConflicts } from './ledger.ts';
import { clearCold, countHanging, removeMemories, reopenSources } from './lineage.ts';
import { lockPlan, lockUser } from './lock.ts';
import { markForgotten } from './marks.ts';
import { listMentions, listQuotingConflicts } from './mentions.ts';
import { forgetNames } from './metadata.ts';
import { makePlan, type PartTarget, type Plan } from './plan.ts';
import { type ForgetInput, ForgetRefused, type ForgetResult, type Removed } from './types.ts';
import { forgetUser, unknownUser } from './user.ts';
import { forgetInWorkspaces } from './workspaces.ts';

/** Whoever writes at the same time is let go first so many times. */
const ATTEMPTS = 10;

type Outcome = Omit<ForgetResult, 'status'>;

/** Thrown to roll back: what was planned no longer held when its locks were taken. */
class PlanOvertaken extends Error {}

/** Thrown to roll back what was only to be told. */
class CheckedOnly extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super('checked only');
    this.outcome = outcome;
  }
}

/**
 * Forgets a memory, a session or a user, and everything that says it, in one transaction: what was made of it, its relations, vectors and
 * conflicts, the answers of models that read it, the journal's images, what was said of it in conversations, their summaries, and what was
 * concluded from these. Other sources of what went stand for themselves again. Nothing that is under way brings any of it back: the
 * ids of memories stay as tombstones, and who stores what a model made of them finds them gone.
 *
 * With `checkOnly` the same happens and is taken back: the result says what would go.
 *
 * @throws ForgetRefused `unknown_memory`, `unknown_session`, `unknown_user`; `busy` when others wrote to the same memories all the time
 * @throws InputError for names that cannot be any
 */
export async function forget(database: Database, input: ForgetInput): Promise<ForgetResult> {
  check(input);
  for (let attempt = 1; ; attempt++) {
    try {
      const outcome = await database.withTenant(input.tenant, async (tx) => {
        const done =
          'user' in input.target ? await forgetUser(tx, input) : await forgetPart(tx, input, input.target);
        await forgetAnswers(tx, input);
        if (input.checkOnly) throw new CheckedOnly(done);
        return done;
      });
      return { status: 'done', ...outcome };
    } catch (error) {
      if (error instanceof CheckedOnly) return { status: 'would', ...error.outcome, changeSetId: null };
      if (!isOvertaken(error)) throw error;
      if (attempt === ATTEMPTS) {
        throw new ForgetRefused(
          'busy',
          nameOf(input),
          'others write to the same memories all the time; try again',
        );
      }
    }
  }
}

function isOvertaken(error: unknown): boolean {
  return error instanceof PlanOvertaken || (error instanceof DatabaseError && error.code === 'serialization');
}

function nameOf({ target, user }: ForgetInput): string {
  if ('memory' in target) return target.memory;
  return 'session' in target ? target.session : user;
}

function check(input: ForgetInput): void {
  requireName(nameOf(input), 'target');
  requireName(input.actor, 'actor');
  requireTime(input.at, 'at');
}

async function forgetPart(tx: Transaction, input: ForgetInput, target: PartTarget): Promise<Outcome> {
  if (!(await lockUser(tx, input))) throw unknownUser(input.user);
  const batched = await forgetBatched(tx, input);
  const plan = await makePlan(tx, input, target);
  if (!(await lockPlan(tx, input, plan))) throw new PlanOvertaken();
  // First: the ledger of a workspace is told by what the memories say.
  const inWorkspaces = await forgetInWorkspaces(tx, input, plan);
  const { removed, reopened } = await removeAll(tx, input, plan);
  if (Object.values(inWorkspaces.removed).some((count) => count > 0))
    removed.workspaces = inWorkspaces.removed;
  removed.answers += batched;
  const mentions = await listMentions(tx, input, plan);
  if (inWorkspaces.mentioned.length > 0) mentions.documents = inWorkspaces.mentioned;
  return { removed, reopened, mentions, changeSetId: await markForgotten(tx, input) };
}

/** In the order in which one thing needs what another one knows. */
async function removeAll(
  tx: Transaction,
  of: ForgetInput,
  plan: Plan,
): Promise<Pick<Outcome, 'removed' | 'reopened'>> {
  const fusions = await endFusions(tx, of, plan);
  const { emptied, scopes } = await emptyAnswers(tx, of, plan);
  const quoting = await listQuotingConflicts(tx, of, plan);
  // Counted first: what goes with a memory is not a thought about others.
  const hanging = await countHanging(tx, of, plan);
  const recallEvents = await removeQuestions(tx, of, plan);
  // What comes back from the cold table comes back without its part in what is forgotten.
  await clearCold(tx, of, plan);
  const reopened = await reopenSources(tx, of, plan);
  const reset = await resetConflicts(tx, of, plan, scopes, quoting);
  const conflicts = [...hanging.conflictIds, ...reset];
  const journal = await dropForgottenImages(tx, of, plan, { scopes, conflicts });
  await removeMemories(tx, of, plan);
  const thoughts = await removeThoughts(tx, of, scopes);
  await forgetNames(tx, of, plan);
  const said = await removeSaid(tx, of, plan);
  const profiles = await unlearnProfile(tx, of, plan);
  const removed: Removed = {
    memories: [...plan.reach.why].flatMap(([id, why]) => (plan.reach.present.has(id) ? [{ id, why }] : [])),
    relations: hanging.relations + thoughts.relations,
    conflicts: hanging.conflicts,
    embeddings: hanging.embeddings,
    neighbours: hanging.neighbours,
    ...said,
    answers: emptied,
    fusions,
    recallEvents,
    ...journal,
    verdicts: hanging.verdicts + thoughts.verdicts,
    profiles,
  };
  return { removed, reopened };
}
