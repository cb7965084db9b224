import type { MemoryCategory } from '@slowwave/fusion';

/** Words of headings that say what kind of thing stands below, by category; the first that fits counts. English and German. */
const KINDS: readonly (readonly [MemoryCategory, RegExp])[] = [
  [
    'preference',
    /^(?:preferences?|prefers?|likes?|dislikes?|favou?rites?|style|styles|tastes?|habits?|conventions?|vorlieben|gewohnheiten|konventionen)$/,
  ],
  [
    'relationship',
    /^(?:people|persons?|contacts?|family|friends?|relationships?|colleagues?|team|familie|freunde|personen|kontakte)$/,
  ],
  [
    'insight',
    /^(?:lessons?|insights?|learnings?|learned|pitfalls?|gotchas?|principles?|patterns?|reflections?|erkenntnisse|lehren)$/,
  ],
  [
    'event',
    /^(?:events?|log|journal|diary|timeline|meetings?|appointments?|today|progress|done|history|termine|tagebuch|ereignisse)$/,
  ],
  [
    'fact',
    /^(?:facts?|decisions?|architecture|context|about|project|projects|stack|setup|infrastructure|status|references?|fakten|entscheidungen|entschlüsse|kontext)$/,
  ],
];

/** Headings of these words alone say which file or which kind of thing it is, and nothing about what stands below. */
const GENERAL =
  /^(?:memory|memories|notes?|daily|misc|miscellaneous|other|others|general|key|open|important|things?|items?|todos?|to|do|tasks?|and|of|the|my|user|agent|long|term|recent|current|new|morning|afternoon|evening|night|notizen|sonstiges|allgemein|und|aufgaben|[\d.:/-]+|am|pm|uhr)$/;

/** What a decision is worth keeping in mind, a daily note less. */
const WEIGHTY = /^(?:decisions?|conventions?|preferences?|entscheidungen|vorlieben|konventionen)$/;

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}.:/-]*/gu) ?? [];
}

const kindOf = (word: string): MemoryCategory | null =>
  KINDS.find(([, words]) => words.test(word))?.[0] ?? null;

/** The category that headings speak of, the innermost first; null when none does. */
export function categoryOf(headings: readonly string[]): MemoryCategory | null {
  for (const heading of headings.toReversed()) {
    for (const word of wordsOf(heading)) {
      const kind = kindOf(word);
      if (kind) return kind;
    }
  }
  return null;
}

export function isWeighty(headings: readonly string[]): boolean {
  return headings.some((heading) => wordsOf(heading).some((word) => WEIGHTY.test(word)));
}

/** Whether a heading names something of its own, such as a person or a project. @param kinds whether the kind of thing counts as such */
export function saysSomething(heading: string, kinds: boolean): boolean {
  return wordsOf(heading).some((word) => !GENERAL.test(word) && (kinds || kindOf(word) === null));
}

/** Whether a text names all that a heading names. */
export function isNamedIn(heading: string, content: string): boolean {
  const said = new Set(wordsOf(content));
  return wordsOf(heading).every((word) => GENERAL.test(word) || said.has(word));
}

export function countOfWords(text: string): number {
  return wordsOf(text).length;
}
