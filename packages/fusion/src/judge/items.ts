import { type DifferenceWords, differenceWordsInSlices } from '../gate/difference-words.ts';
import type { SaidText } from '../gate/hard-facts.ts';
import { inOneGo, type Slices } from '../slices.ts';

/** Gives the same hexadecimal hash for the same text; keyed with a secret of the installation, so that no memory can foresee it. */
export type KeyedHash = (text: string) => string;

/** A statement that is to take the place of some sources. */
export interface ProposedStatement {
  text: string;
  /** Places of its sources in the cluster, from 0. */
  sources: readonly number[];
}

/** One thing to judge: a statement of the writer, or a canary whose verdict is known. */
export interface JudgeItem {
  id: string;
  /** Place among the statements; null for a canary. */
  statement: number | null;
  /** What a canary must come out as; null for a statement. */
  expected: 'accepted' | 'refused' | null;
  text: string;
  sources: SaidText[];
  words: DifferenceWords;
}

const ID_LENGTH = 4;

/** Statements and canaries in an order that the hash decides, under ids of four letters. */
export function judgeItems(...of: Parameters<typeof judgeItemsInSlices>): JudgeItem[] {
  return inOneGo(judgeItemsInSlices(...of));
}

/** As judgeItems, a text in each slice. */
export function* judgeItemsInSlices(
  cluster: readonly SaidText[],
  statements: readonly ProposedStatement[],
  canaries: readonly { text: string; source: SaidText; expected: 'accepted' | 'refused' }[],
  hash: KeyedHash,
): Slices<JudgeItem[]> {
  const items = [
    ...statements.map(({ text, sources }, statement) => ({
      ...{ statement, expected: null, text },
      sources: sources.map((place) => cluster[place]!),
    })),
    ...canaries.map(({ text, source, expected }) => ({ statement: null, expected, text, sources: [source] })),
  ];
  const used = new Set<string>();
  const hashed: { digest: string; item: JudgeItem }[] = [];
  for (const item of items) {
    const digest = hash(JSON.stringify([item.text, item.sources, item.expected]));
    const contents = item.sources.map(({ content }) => content);
    const words = yield* differenceWordsInSlices(contents, item.text);
    hashed.push({ digest, item: { id: unusedId(digest, used), ...item, words } });
  }
  return hashed.sort((one, other) => (one.digest < other.digest ? -1 : 1)).map(({ item }) => item);
}

/** Letters from a digest; another digit shifts them where an id is taken. */
function unusedId(digest: string, used: Set<string>): string {
  for (let shift = 0; ; shift += 1) {
    const letters = Array.from({ length: ID_LENGTH }, (_, at) => {
      const value = Number.parseInt(digest.slice(at * 2, at * 2 + 2), 16) + shift * (at + 1);
      return String.fromCharCode(97 + (value % 26));
    });
    const id = letters.join('');
    if (used.has(id)) continue;
    used.add(id);
    return id;
  }
}
