import { type Answers, askAll, type Database, type Question } from '@slowwave/db';
import type { Embedder, Tier } from '@slowwave/fusion';

/** What a step has to know of its user before it has anything to do. */
export interface TierQuestion<Answer> {
  /** Its own among those of a tier. */
  name: string;
  ask(of: Asking): Question<Answer>;
}

/** What questions are made of. */
export interface Asking {
  tenant: string;
  user: string;
  tier: Tier;
  /** Epoch ms. */
  at: number;
  lastSuccessAt: number | null;
  embedder: Pick<Embedder, 'model'>;
  /** How long things are kept, ms; null: for ever. */
  limits: { retentionMs: number | null; journalRetentionMs: number | null; runRetentionMs: number };
}

/** What the steps of a run know of their user: read once for all of them, and again after something was written. */
export interface Look {
  /**
   * The answer to a question of a step. The first one asks for the answers to all the questions from this step of the tier on.
   * @throws what the database throws
   */
  seen<Answer>(question: TierQuestion<Answer>): Promise<Answer>;
  /** Something was written: what was seen may no longer be so. @param answers that it changes; absent: any */
  changed(answers?: readonly TierQuestion<unknown>[]): void;
  /** The steps before this one have ended and ask nothing any more. @param index of the step */
  reach(index: number): void;
}

/**
 * Looks at a user for the steps of a tier: one statement for all that they ask, so that a step without work costs none. Where this
 * statement fails each question is asked alone, and fails its own step alone.
 * @param questions of each step; one more list stands for what is asked at the end
 */
export function createLook(
  database: Pick<Database, 'withTenant'>,
  of: Asking,
  questions: readonly (readonly TierQuestion<unknown>[])[],
): Look {
  let step = 0;
  let known: Promise<Record<string, unknown>> | null = null;
  const old = new Set<TierQuestion<unknown>>();

  async function read(
    asked: readonly TierQuestion<unknown>[],
  ): Promise<Answers<Record<string, Question<unknown>>>> {
    const given = Object.fromEntries(asked.map((question) => [question.name, question.ask(of)]));
    return database.withTenant(of.tenant, (tx) => askAll(tx, given));
  }
  return {
    async seen<Answer>(question: TierQuestion<Answer>): Promise<Answer> {
      const ahead = new Set(questions.slice(step).flat());
      if (ahead.has(question)) {
        if (known === null) old.clear();
        known ??= read([...ahead]).catch(() => ({}));
        const answers = await known;
        if (question.name in answers && !old.has(question)) return answers[question.name] as Answer;
      }
      return (await read([question]))[question.name] as Answer;
    },
    changed(answers) {
      if (!answers) known = null;
      for (const question of answers ?? []) old.add(question);
    },
    reach(index) {
      step = index;
    },
  };
}
