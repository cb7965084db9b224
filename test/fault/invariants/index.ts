import type { Violation } from '../types.ts';
import { beforeImages } from './before-images.ts';
import { judgedOnce, toldOnce } from './books.ts';
import { noCrossUser } from './cross-user.ts';
import { dueUsers } from './due-users.ts';
import { attempts, failedList } from './failed-list.ts';
import { fusionOnce } from './fusion-once.ts';
import { createLook, toldOf } from './look.ts';
import { money } from './money.ts';
import { nothingLost } from './nothing-lost.ts';
import { ownSources } from './own-sources.ts';
import { wordsStay } from './planted-words.ts';
import { passTwice, type SecondPass } from './second-pass.ts';
import { takeSnapshot } from './snapshot.ts';
import { supersededOnce } from './superseded-once.ts';
import type { Given, Invariant, InvariantsDeps, Snapshot } from './types.ts';
import { undoAll } from './undo-everything.ts';
import { describeAll, findUnfinished } from './unfinished.ts';
import { wordsKept } from './words-kept.ts';

export { canaryOf, codeOf, FACTS_MAX, stormFacts } from './facts.ts';
export type { SecondPass } from './second-pass.ts';
export type { AskedQuestion, Extra, Given, InvariantsDeps, Snapshot } from './types.ts';

/** Every promise by its name; each is looked at on its own. */
export const INVARIANTS: Readonly<Record<string, Invariant>> = {
  'fusion-once': fusionOnce,
  'superseded-once': supersededOnce,
  'words-kept': wordsKept,
  'own-sources': ownSources,
  'nothing-lost': nothingLost,
  'before-images': beforeImages,
  'no-cross-user': noCrossUser,
  'due-users': dueUsers,
  'failed-list': failedList,
  attempts,
  money,
  'judged-once': judgedOnce,
  'told-once': toldOnce,
  'words-stay': wordsStay,
};

export interface Invariants {
  /** Memories, relations and conflicts as they are before a storm. */
  snapshot(): Promise<Snapshot>;
  /** Null when everything that is due is done; else what is not, in a line or a few: ids and counts. */
  quiescent(): Promise<string | null>;
  /** The same with all that is known of it, for a batch that did not recover. */
  describeUnfinished(): Promise<string>;
  /**
   * Judges every invariant, or those that are named, once the batch is quiescent.
   * @returns what is broken; nothing when all holds
   */
  check(given: Given, names?: readonly string[]): Promise<Violation[]>;
  /**
   * Runs every tier twice more: the second time nothing is written and nothing is asked. For a batch that is quiescent, while workers
   * and a producer run.
   */
  secondPass(pass: SecondPass): Promise<Violation[]>;
  /** Takes back everything that was done to these users and compares with how it began. Nothing is to be run for them afterwards. */
  undoEverything(
    snapshot: Snapshot,
    users: readonly { tenant: string; user: string }[],
  ): Promise<Violation[]>;
}

/** The promises of the service about a batch of users, judged by what stands in the database and in the queue. */
export function createInvariants(deps: InvariantsDeps): Invariants {
  const look = createLook(deps);
  return {
    snapshot: () => takeSnapshot(look),
    async quiescent() {
      const found = await findUnfinished(look);
      return found.length === 0 ? null : describeAll(found);
    },
    describeUnfinished: async () => describeAll(await findUnfinished(look)),
    async check(given, names = Object.keys(INVARIANTS)) {
      const violations: Violation[] = [];
      for (const name of names) {
        const holds = INVARIANTS[name];
        if (holds === undefined) throw new TypeError(`no invariant has the name ${name}`);
        violations.push(...violationsOf(name, await holds(look, given)));
      }
      return violations;
    },
    secondPass: async (pass) => violationsOf('second-pass', await passTwice(look, pass)),
    undoEverything: async (snapshot, users) =>
      violationsOf('undo-everything', await undoAll(look, snapshot, users)),
  };
}

const violationsOf = (invariant: string, details: readonly string[]): Violation[] =>
  toldOf(details).map((detail) => ({ invariant, detail }));
