import { dayOf } from '../day.ts';
import { isRepeat } from '../gate/fast-lane.ts';
import { resolveRelativeDates } from '../reading/relative-dates.ts';
import type { ConflictSide } from './pair.ts';

/**
 * Whether one memory holds everything that another one says: each sentence of it, word for word, with relative dates resolved. In doubt it
 * does not.
 */
export function holdsAll(wider: ConflictSide, narrower: ConflictSide): boolean {
  const [whole, part] = [wider, narrower].map((side) =>
    resolveRelativeDates(side.content, side.documentDay ?? dayOf(side.documentDate)),
  );
  return part!.unresolved.length === 0 && isRepeat([whole!.text, part!.text], whole!.text);
}
