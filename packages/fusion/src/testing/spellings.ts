import { extractAtoms } from '../reading/atoms.ts';

/** Everything that a text holds but names that are guesses, as "kind:value", with a question mark after other guesses. */
export function atomsIn(text: string): string[] {
  return extractAtoms(text)
    .filter(({ kind, sure }) => kind !== 'name' || sure)
    .map(({ kind, value, sure }) => `${kind}:${value}${sure ? '' : '?'}`);
}

/** One row for each spelling of each fact. */
export function spellings(table: [string[], string | string[]][]): [string, string[]][] {
  return table.flatMap(([list, expected]) =>
    list.map((spelling): [string, string[]] => [
      spelling,
      typeof expected === 'string' ? [expected] : expected,
    ]),
  );
}
