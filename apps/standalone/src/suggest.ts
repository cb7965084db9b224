import { nearestName } from '@slowwave/config';
import type { Command } from 'commander';

const everyCommand = (command: Command): Command[] => [command, ...command.commands.flatMap(everyCommand)];

/** The innermost command that the typed words name, and the word behind it. */
function reached(program: Command, words: readonly string[]): { command: Command; next: string | null } {
  let command = program;
  for (const word of words) {
    if (word.startsWith('-')) continue;
    const below = command.commands.find((each) => each.name() === word);
    if (below) command = below;
    // Before the first command stands how the program was called.
    else if (command !== program) return { command, next: word };
  }
  return { command, next: null };
}

/**
 * What may have been meant where the parser complains of something else: of an option that is missing because it was mistyped, or of words
 * that are too many because a command was.
 * @param words as they were typed, without the program
 * @returns a sentence, or null
 */
export function suggestionFor(program: Command, message: string, words: readonly string[]): string | null {
  const missing = /required option '(?:-\w, )?(--[\w-]+)/.exec(message)?.[1];
  if (missing !== undefined) {
    const known = everyCommand(program).flatMap(({ options }) => options.map(({ long }) => long));
    const typed = words.map((word) => word.split('=')[0]!).filter((word) => word.startsWith('--'));
    const strange = typed.filter((word) => !known.includes(word));
    return strange.some((word) => nearestName(word, [missing]) !== null)
      ? `(Did you mean ${missing}?)`
      : null;
  }
  if (!message.includes('too many arguments')) return null;
  const { command, next } = reached(program, words);
  const meant =
    next === null
      ? null
      : nearestName(
          next,
          command.commands.map((each) => each.name()),
        );
  return meant === null ? null : `(Did you mean ${meant}?)`;
}
