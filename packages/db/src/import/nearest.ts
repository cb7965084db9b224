/** Edits (insert, delete, replace one character) that turn one short word into another. */
function editsBetween(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = above[column - 1]! + Number(from[row - 1] !== to[column - 1]);
      current.push(Math.min(replaced, above[column]! + 1, current[column - 1]! + 1));
    }
    above = current;
  }
  return above[to.length]!;
}

/** The allowed word that a mistyped one most likely means, case aside; null when none is near. */
export function nearestWord<Word extends string>(typed: string, allowed: readonly Word[]): Word | null {
  const plain = typed.trim().toLowerCase();
  // A value of unbounded length is not a mistyped word, and the comparison is quadratic.
  if (plain.length > 40) return null;
  const ranked = allowed
    .map((word) => ({ word, edits: editsBetween(plain, word.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  const best = ranked[0];
  return best && best.edits <= Math.max(1, Math.floor(best.word.length / 3)) ? best.word : null;
}
