import type { Atom } from '../reading/atoms.ts';
import type { Token } from '../reading/tokens.ts';
import type { Place } from './borders.ts';
import type { Word } from './meaning.ts';

/** Kinds of atoms that are read here from the words themselves. */
const OWN_KINDS = new Set<string>(['name', 'negation', 'quote']);

export interface WordSlot extends Word {
  token: number;
  name: boolean;
  sure: boolean;
  place: Place;
  written: string;
  colon: boolean;
  dotted: boolean;
}

/** The atoms that take their tokens for themselves, by first token, and the tokens that go on with one. */
export function spansOf(
  atoms: readonly Atom[],
  size: number,
): { starts: Map<number, Atom[]>; inside: Uint8Array } {
  const starts = new Map<number, Atom[]>();
  const inside = new Uint8Array(size);
  for (const atom of atoms) {
    if (OWN_KINDS.has(atom.kind)) continue;
    if (!atom.sure && (atom.kind as string) !== 'number' && atom.to - atom.from < 1) continue;
    const same = starts.get(atom.from);
    if (same) same.push(atom);
    else if (!inside[atom.from]) starts.set(atom.from, [atom]);
    else continue;
    inside.fill(1, atom.from + 1, atom.to);
  }
  return { starts, inside };
}

export function slotsOf(
  tokens: readonly Token[],
  places: readonly Place[],
  starts: ReadonlyMap<number, Atom[]>,
  inside: Uint8Array,
  names: ReadonlyMap<number, boolean>,
  split: (word: string) => string[],
): WordSlot[] {
  const slots: WordSlot[] = [];
  let border = false;
  for (const [index, token] of tokens.entries()) {
    const place = places[index]!;
    const base = {
      token: index,
      place,
      opens: token.opens,
      border,
      name: false,
      sure: false,
      written: token.text,
      colon: tokens[index + 1]?.text === ':',
      dotted: tokens[index + 1]?.text === '.',
    };
    const atoms = starts.get(index);
    if (atoms) {
      const { kind } = atoms[0]!;
      slots.push({
        ...base,
        text: '',
        atom: kind === 'number' ? 'number' : kind === 'date' || kind === 'time' ? 'date' : 'other',
      });
      border = false;
    } else if (inside[index]) continue;
    else if (token.kind === 'word') {
      const sure = names.get(index);
      // A possessive of a name keeps nothing of its ending.
      const parts = sure !== true ? split(token.text.toLowerCase()) : [token.folded];
      for (const [n, text] of parts.entries()) {
        slots.push({
          ...base,
          text,
          atom: null,
          name: sure !== undefined && n === 0,
          sure: sure ?? false,
          border: border && n === 0,
        });
      }
      border = false;
    } else if (token.kind === 'mark') border = border || /[,;:.!?()–\n]/.test(token.text);
  }
  return slots;
}
