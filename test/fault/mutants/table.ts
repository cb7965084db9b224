/** A test that fails when a guard is missing. */
export interface Killer {
  /** Path from the root of the repository. */
  file: string;
  /** A part of its title, or of the title of what it stands in. */
  test: string;
  /** The one on the embedded database, where it stands for each kind; default false. */
  embedded?: boolean;
}

/** The product without one guard. */
export interface Mutant {
  name: string;
  /** What is taken away. */
  guard: string;
  /** Path from the root of the repository. */
  file: string;
  /** Stands in the file exactly once. */
  find: string;
  replace: string;
  killedBy: Killer;
  /** How that test fails, where not by an expectation: the code of an error that nobody expects. */
  failsWith?: string;
}

/** Name, guard, the text, what stands in its place, and the test that notices; `failsWith` last. */
type Row = [name: string, guard: string, find: string, replace: string, killedBy: Killer, failsWith?: string];

export const by = (file: string, test: string): Killer => ({ file, test });

/** Mutants of one file. */
export function mutantsIn(file: string, rows: readonly Row[]): Mutant[] {
  return rows.map(([name, guard, find, replace, killedBy, failsWith]) => ({
    name,
    guard,
    file,
    find,
    replace,
    killedBy,
    ...(failsWith === undefined ? {} : { failsWith }),
  }));
}
