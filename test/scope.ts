/**
 * Which tests run, in SLOWWAVE_TEST_SCOPE:
 *
 * - `change`, the default and what `npm test` runs: everything that a change of a line needs;
 * - `rest`: what that leaves out and nothing else, in parts that continuous integration takes by turns;
 * - `all`: both, as `npm run test:all`.
 *
 * A file named `*.long.test.ts` belongs to the rest as a whole. In other files `inScope` parts cases, and `DATABASES` and `BACKENDS`
 * leave to the rest what is not the most usual way to run.
 */
export const SCOPES = ['change', 'rest', 'all'] as const;
export type Scope = (typeof SCOPES)[number];

/** @throws when it is not one of them */
export function readScope(value: string | undefined): Scope {
  const found = SCOPES.find((scope) => scope === (value ?? 'change'));
  if (!found) throw new Error(`SLOWWAVE_TEST_SCOPE is ${value}: expected ${SCOPES.join(', ')}`);
  return found;
}

const { SLOWWAVE_TEST_SCOPE: given } = process.env;
export const SCOPE = readScope(given);

/** The cases of the scope. A file whose `rest` is empty must not call it: in that scope it would have no tests. */
export function inScope<T>(cases: { change: readonly T[]; rest: readonly T[] }, scope = SCOPE): T[] {
  return [...(scope === 'rest' ? [] : cases.change), ...(scope === 'change' ? [] : cases.rest)];
}

/** How often a property is tried: few times for a change, many times in the rest. */
export const runsInScope = (times: { change: number; rest: number }, scope = SCOPE): number =>
  scope === 'change' ? times.change : times.rest;

/** Whether a test file has tests in the rest: by its name, or because its text parts them. */
export const hasRest = (file: string, text: string): boolean =>
  file.endsWith('.long.test.ts') || /\b(?:DATABASES|BACKENDS|SERVER_BACKENDS)\b|\/scope\.ts'/.test(text);
