/**
 * Which tests run, in SLOWWAVE_TEST_SCOPE:
 *
 * - `change`, the default and what `npm test` runs: everything that a change of a line needs;
 * - `rest`: what that leaves out and nothing else, as `npm run test:rest`.
 *
 * A file named `*.long.test.ts` belongs to the rest as a whole. In other files `inScope` parts cases, and `DATABASES`, `BACKENDS` and
 * `COMMAND_WAYS` leave to the rest what is not the most usual way to run.
 */
export type Scope = 'change' | 'rest';

/** @throws when it is neither */
export function readScope(value = 'change'): Scope {
  if (value === 'change' || value === 'rest') return value;
  throw new Error(`SLOWWAVE_TEST_SCOPE is ${value}: expected change or rest`);
}

const { SLOWWAVE_TEST_SCOPE: given } = process.env;
export const SCOPE = readScope(given);

/** The cases of the scope. A file whose `rest` is empty must not call it: in that scope it would have no tests. */
export const inScope = <T>(cases: { change: readonly T[]; rest: readonly T[] }, scope = SCOPE): T[] => [
  ...cases[scope],
];

/** How often a property is tried: few times for a change, many times in the rest. */
export const runsInScope = (times: { change: number; rest: number }, scope = SCOPE): number => times[scope];

/** Whether a test file has tests in the rest: by its name, or because its text parts them. */
export const hasRest = (file: string, text: string): boolean =>
  file.endsWith('.long.test.ts') ||
  /\b(?:COMMAND_WAYS|DATABASES|openInScope|openBackendInScope|BACKENDS|SERVER_BACKENDS)\b|\/scope\.ts'/.test(
    text,
  );
