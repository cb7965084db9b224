import { parseArgs } from 'node:util';
import { nearestName } from '@slowwave/config';

/** What somebody gave a benchmark on the command line, read option by option. Reading notes what is wrong with it. */
export interface Arguments {
  help: boolean;
  /** What stands there without being an option, or belonging to one. */
  words: readonly string[];
  /** Every mistake found so far, each with what was expected. */
  errors: string[];
  isGiven(name: string): boolean;
  flag(name: string): boolean;
  whole(name: string, of: WholeNumber): number;
  /** @param what is expected, for the mistake */
  text<T extends string | null>(name: string, otherwise: T, what: string): string | T;
}

export interface WholeNumber {
  otherwise: number;
  least: number;
  most: number;
}

/** What comes of them: options, the help that was asked for, or every mistake at once. */
export type Parsed<Options> =
  | { kind: 'run'; options: Options }
  | { kind: 'help' }
  | { kind: 'refused'; errors: string[] };

/**
 * @param known.texts options that take a value
 * @param known.flags options that take none; help is one of them
 * @param known.words whether anything else may stand there
 */
export function readArguments(
  args: readonly string[],
  known: { texts: readonly string[]; flags?: readonly string[]; words?: boolean },
): Arguments {
  const { texts, flags = [], words = false } = known;
  const typed = (names: readonly string[], type: 'string' | 'boolean') =>
    Object.fromEntries(names.map((name) => [name, { type }]));
  const { values, positionals } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    options: { ...typed(texts, 'string'), ...typed(flags, 'boolean'), help: { type: 'boolean', short: 'h' } },
  });
  const names = [...texts, ...flags, 'help'].map((name) => `--${name}`);
  const errors = words ? [] : positionals.map((word) => `unexpected ${word}: options begin with --`);
  for (const name of Object.keys(values).map((each) => `--${each}`)) {
    if (!names.includes(name)) errors.push(unknownText('option', name, names));
  }
  function checked<T>(name: string, otherwise: T, what: string, read: (value: string) => T | null): T {
    const given = values[name];
    if (given === undefined) return otherwise;
    const value = typeof given === 'string' ? read(given) : null;
    if (value !== null) return value;
    errors.push(`--${name}: expected ${what}`);
    return otherwise;
  }
  return {
    help: values.help === true,
    words: positionals,
    errors,
    isGiven: (name) => values[name] !== undefined,
    flag(name) {
      const value = values[name] ?? false;
      if (typeof value !== 'boolean') errors.push(`--${name} takes no value`);
      return value === true;
    },
    whole: (name, { otherwise, least, most }) =>
      checked(name, otherwise, `a whole number from ${least} to ${most}`, (text) =>
        /^\d+$/.test(text) && +text >= least && +text <= most ? +text : null,
      ),
    text: <T extends string | null>(name: string, otherwise: T, what: string) =>
      checked<string | T>(name, otherwise, what, (text) => (text === '' ? null : text)),
  };
}

/** What is not known, with the name that was probably meant. */
export function unknownText(what: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const hint = nearest === null ? `expected one of ${known.join(', ')}` : `did you mean ${nearest}?`;
  return `unknown ${what} ${name}: ${hint}`;
}
