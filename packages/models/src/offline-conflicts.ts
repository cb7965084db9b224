import type { PromptPair } from '@slowwave/fusion';
import { clausesOf } from './clauses.ts';
import { type Opposition, opposes, readStatement, type Statement, says } from './redundancy.ts';

/** How sure it is at most: never sure enough that anything follows from it without a person. */
const CONFIDENCE = 0.5;
const MAX_SLOT_CHARS = 80;

interface Label {
  type: 'compatible' | 'contradictory' | 'subsumes' | 'ambiguous';
  wider: 'a' | 'b' | 'none';
  slot: string;
  description: string;
}

const read = (text: string): Statement[] => clausesOf(1, text).map(readStatement);

/** Whether every statement of the second is said by one of the first. */
function saysAll(one: Statement[], other: Statement[]): boolean {
  return other.length > 0 && other.every((statement) => one.some((kept) => says(kept, statement)));
}

/** The first two statements that oppose each other as far as shows without understanding them. */
function oppositionOf(
  one: Statement[],
  other: Statement[],
): { opposition: Opposition; statement: string } | null {
  for (const left of one) {
    for (const right of other) {
      const opposition = opposes(left, right);
      if (opposition !== null) return { opposition, statement: left.clause.text };
    }
  }
  return null;
}

function labelOf({ a, b }: PromptPair): Label {
  const [one, other] = [read(a.text), read(b.text)];
  const opposed = oppositionOf(one, other);
  if (opposed !== null) {
    const denied = opposed.opposition === 'polarity';
    return {
      type: denied ? 'contradictory' : 'ambiguous',
      wider: 'none',
      slot: opposed.statement.slice(0, MAX_SLOT_CHARS),
      description: denied ? 'One says what the other denies.' : 'The two differ in a number.',
    };
  }
  const [first, second] = [saysAll(one, other), saysAll(other, one)];
  if (first && second)
    return { type: 'compatible', wider: 'none', slot: '', description: 'Both say the same.' };
  if (first || second) {
    const description = 'One says everything that the other says.';
    return { type: 'subsumes', wider: first ? 'a' : 'b', slot: '', description };
  }
  return {
    type: 'ambiguous',
    wider: 'none',
    slot: '',
    description: 'Whether both are true does not show in their words.',
  };
}

/** Says of each pair what shows in its words alone. Everything else is for a person: it knows nothing of what they mean. */
export function labelPairs(pairs: readonly PromptPair[]): string {
  return JSON.stringify({
    pairs: pairs.map((pair) => ({ n: pair.n, ...labelOf(pair), confidence: CONFIDENCE })),
  });
}
