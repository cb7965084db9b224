import type { MemoryType } from '../memory.ts';
import { holdsAll } from './holds.ts';
import {
  accuserOf,
  type ConflictPair,
  type ConflictSide,
  mayAccuse,
  type PairLabel,
  type SideName,
  sharesPlace,
} from './pair.ts';

/** What becomes of a labelled pair. */
export type Decision =
  /** Settled by the code: both stay. */
  | { kind: 'keep'; resolution: string }
  /** Waits for a person. */
  | { kind: 'open'; type: 'contradictory' | 'ambiguous'; accuser: string | null }
  /** One takes the other's place. */
  | { kind: 'supersede'; winner: SideName; resolution: string };

export const BOTH_RETAINED = 'compatible - both retained';
export const NOT_HELD = 'both retained: the wider one does not hold everything';

export const subsumedBy = (id: string): string => `subsumed by ${id}`;

/** Only what somebody remembered is ever replaced by the code: no profile, and nothing that stands for others already. */
const REPLACEABLE: ReadonlySet<MemoryType> = new Set(['regular', 'dynamic_profile']);

/**
 * Turns a model's label into what is done. The model only says how two memories relate; whether one may supersede the other is for the
 * code to find out.
 * @param options.supersede false where a person wants to see every change first: such a pair waits for them instead
 */
export function decideLabel(pair: ConflictPair, label: PairLabel, options: { supersede: boolean }): Decision {
  switch (label.type) {
    case 'compatible':
      return { kind: 'keep', resolution: BOTH_RETAINED };
    case 'contradictory':
    case 'ambiguous':
      return { kind: 'open', type: label.type, accuser: accuserOf(pair) };
    case 'subsumes': {
      if (label.wider === null) return { kind: 'open', type: 'ambiguous', accuser: accuserOf(pair) };
      const [wider, narrower] = label.wider === 'a' ? [pair.a, pair.b] : [pair.b, pair.a];
      if (!mayReplace(wider, narrower)) return { kind: 'keep', resolution: NOT_HELD };
      if (!options.supersede) return { kind: 'open', type: 'ambiguous', accuser: accuserOf(pair) };
      return { kind: 'supersede', winner: label.wider, resolution: subsumedBy(wider.id) };
    }
  }
}

/** Whether a memory says everything that another one says, and may stand for it: its words, and who said and sees them. */
export function mayReplace(wider: ConflictSide, narrower: ConflictSide): boolean {
  return (
    REPLACEABLE.has(narrower.memoryType) &&
    !wider.archived &&
    wider.origin === narrower.origin &&
    mayAccuse(wider, narrower) &&
    sharesPlace(wider, narrower) &&
    // What has ended does not hold what goes on.
    wider.validTo === narrower.validTo &&
    isKept(narrower.eventDate, wider.eventDate) &&
    isKept(narrower.validFrom, wider.validFrom) &&
    holdsAll(wider, narrower)
  );
}

function isKept(narrower: number | null, wider: number | null): boolean {
  return narrower === null || narrower === wider;
}
