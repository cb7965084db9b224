/** A test that fails when a guard is missing. */
export interface Killer {
  /** Path from the root of the repository. */
  file: string;
  /** A part of its title, or of the title of what it stands in. */
  test: string;
  /** The one on the embedded database, where it stands for each kind; default false. */
  embedded?: boolean;
}

/**
 * What becomes of the code that is marked: it goes, its condition never or always holds, or something else stands in its place.
 */
export type Change = 'removed' | 'never' | 'always' | { is: string };

/** The product without one guard. */
export interface Mutant {
  name: string;
  /** What is taken away. */
  guard: string;
  /** Path from the root of the repository. */
  file: string;
  /** The name in the comment `guard: …` that stands beside the code in the file, once. */
  mark: string;
  change: Change;
  killedBy: Killer;
  /** How that test fails, where not by an expectation: the code of an error that nobody expects. */
  failsWith?: string;
}

/** Name, which is also that of the mark where none is given, the guard, what becomes of it, and the test that notices. */
type Row = [
  name: string,
  guard: string,
  change: Change | { mark: string; change: Change },
  killedBy: Killer,
  failsWith?: string,
];

export const by = (file: string, test: string): Killer => ({ file, test });

/** Another change of code that a mutant before it marks. */
export const at = (mark: string, change: Change): { mark: string; change: Change } => ({ mark, change });

/** Mutants of one file. */
export function mutantsIn(file: string, rows: readonly Row[]): Mutant[] {
  return rows.map(([name, guard, given, killedBy, failsWith]) => ({
    name,
    guard,
    file,
    ...(typeof given === 'object' && 'mark' in given ? given : { mark: name, change: given }),
    killedBy,
    ...(failsWith === undefined ? {} : { failsWith }),
  }));
}
