import { dayOf } from '../day.ts';
import { differenceWords, flagKindsOf } from '../gate/difference-words.ts';
import { floorProblems } from '../gate/floor.ts';
import type { ConflictSide } from './pair.ts';

/**
 * Whether one memory has everything that another one has: its hard facts and all its words, and nothing that would change them (a denial, a
 * condition, a doubt). It is asked of pairs that a model has labelled so; in doubt it does not.
 */
export function holdsAll(wider: ConflictSide, narrower: ConflictSide): boolean {
  const [whole, part] = [wider, narrower].map(({ content, documentDay, documentDate }) => ({
    content,
    day: documentDay ?? dayOf(documentDate),
  }));
  const problems = floorProblems([part!], whole!.content);
  if (problems.some(({ problem, kind }) => problem === 'lost' || kind === 'relative_date')) return false;
  if (differenceWords([part!.content], whole!.content).sources[0]!.missing.length > 0) return false;
  const known = flagKindsOf([part!.content]);
  return [...flagKindsOf([whole!.content])].every((kind) => known.has(kind));
}
