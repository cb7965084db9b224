import { INVENTED } from '../fixtures/facts/sentences.ts';

/** Answers that are well formed and wrong. */
export const WRONGS = ['losing', 'inventing', 'swapping', 'doubling'] as const;
/**
 * - `losing`: says less than it claims to say.
 * - `inventing`: says `INVENTED`, which nobody has said.
 * - `swapping`: says of one thing what was said of another one.
 * - `doubling`: says everything twice.
 */
export type Wrong = (typeof WRONGS)[number];

/** What a question is about. */
export type Step = 'fusion' | 'judge' | 'summary' | 'labels' | 'rem' | 'reflection';

/** Words with a digit in them: the ones that a fact hangs on. */
const CODES = /[\p{L}\p{N}_-]*\p{N}[\p{L}\p{N}_-]*/gu;
const WORDS = /[\p{L}\p{N}_-]+/gu;

/** Turns a right answer into a wrong one. @param answer JSON text, as the step's judge would take it */
export function makeWrong(answer: string, wrong: Wrong, step: Step): string {
  const value: unknown = JSON.parse(answer);
  // Where the writer lies the judge is honest.
  if (step === 'judge') return answer;
  if (step === 'fusion') return JSON.stringify(wrongFusion(value as Fusion, wrong));
  if (step === 'labels' && (wrong === 'losing' || wrong === 'inventing'))
    return JSON.stringify(wrongLabels(value as Labels, wrong));
  return JSON.stringify(wrongLists(value, wrong));
}

interface Fusion {
  statements: { sources: number[]; text: string }[];
}

function wrongFusion(fusion: Fusion, wrong: Wrong): Fusion {
  const statements = fusion.statements.map(({ sources, text }) =>
    wrong === 'doubling'
      ? { sources: [...sources, ...sources], text: `${text} ${text}` }
      : { sources, text: wrongText(text, wrong) },
  );
  return { ...fusion, statements };
}

function wrongText(text: string, wrong: 'losing' | 'inventing' | 'swapping'): string {
  const codes = [...new Set(text.match(CODES) ?? [])];
  const marks = codes.length > 1 ? codes : [...new Set(text.match(WORDS) ?? [])];
  const [first = '', second = '', last = ''] = [marks[0], marks[1], marks.at(-1)];
  const swapped = new Map([
    [first, second],
    [second, first],
  ]);
  if (wrong === 'losing') return text.replaceAll(last, '').replace(/ +/g, ' ');
  if (wrong === 'inventing') return text.replaceAll(first, INVENTED);
  return text.replace(WORDS, (word) => swapped.get(word) ?? word);
}

interface Labels {
  pairs: Record<string, unknown>[];
}

/** A liar is sure: that one of two that differ says the other too, or that two that agree contradict each other. */
function wrongLabels({ pairs }: Labels, wrong: 'losing' | 'inventing'): Labels {
  const [type, wider] = wrong === 'losing' ? ['subsumes', 'a'] : ['contradictory', 'none'];
  return { pairs: pairs.map((pair) => ({ ...pair, type, wider, slot: 'all', confidence: 0.99 })) };
}

/** The other steps answer with lists of numbered things and with texts. */
function wrongLists(value: unknown, wrong: Wrong): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => wrongLists(item, wrong));
    if (wrong === 'losing') return items.slice(0, -1);
    if (wrong === 'doubling') return [...items, ...items];
    return items;
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, wrongLists(item, wrong)]));
  }
  if (typeof value === 'number') return wrong === 'swapping' ? value + 1 : value;
  if (typeof value !== 'string') return value;
  if (wrong === 'inventing') return `${value} It was with ${INVENTED}.`;
  return wrong === 'swapping' && value.includes(' ') ? wrongText(value, wrong) : value;
}
