import type { MemoryConflict } from './types.ts';

/**
 * Settles what needs nobody: compatible pairs are both retained, and of a pair of which one says everything the other is subsumed.
 * Contradictory and ambiguous ones stay open for a person. Already resolved ones are left as they are.
 */
export function resolveConflicts(conflicts: MemoryConflict[]): MemoryConflict[] {
  return conflicts.map((conflict) => {
    const resolution = conflict.resolved ? null : resolutionOf(conflict);
    return resolution === null ? conflict : { ...conflict, resolved: true, resolution };
  });
}

function resolutionOf({ type, subsumedBy, noteIdB }: MemoryConflict): string | null {
  if (type === 'compatible') return 'compatible - both retained';
  // Whoever does not say which one says more names the wider one last.
  if (type === 'subsumes') return `subsumed by ${subsumedBy ?? noteIdB}`;
  return null;
}
