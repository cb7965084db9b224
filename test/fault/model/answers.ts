import { type Fact, INVENTED, sentenceOf, tokensIn } from '../../fixtures/facts/sentences.ts';
import type { Manner } from './state.ts';

/** What memories say here, and what the language model writes of them. */

/** Stands in every memory, so that a statement that says each sentence once is shorter than its sources. */
const SHARED = 'Everything in the old house was looked at and written down.';

export const textOf = (fact: Fact): string => `${SHARED} ${sentenceOf(fact)}`;

/** Groups of sources that the model writes a statement about; of one source alone no statement may be. */
export function groupsOf<T>(sources: readonly T[], manner: Manner): T[][] {
  const groups = sources.length < 4 ? [[...sources]] : [sources.slice(0, 2), sources.slice(2)];
  if (manner === 'forgetful') groups.at(-1)!.pop();
  return groups;
}

/** A statement that repeats these texts, each sentence once; an inventive model puts in what nobody said. */
export function statementOf(texts: readonly string[], manner: Manner): string {
  const sentences = new Set(texts.flatMap((text) => text.split(/(?<=\.) /)));
  const text = [...sentences].join(' ');
  return manner === 'inventive' ? text.replace(tokensIn(text)[0]!, INVENTED) : text;
}
