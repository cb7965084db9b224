import type { NewBlock, NotesDay } from '@slowwave/db';
import type { MemoryCategory } from '@slowwave/fusion';
import { categoryOf, countOfWords, isNamedIn, isWeighty, saysSomething } from './heading-words.ts';
import { labelOf } from './list-items.ts';
import type { Block } from './types.ts';

export interface BlockSource {
  /** Of the file; kept with the memory. */
  path: string;
  /** The day whose notes it is; null for any other file. */
  day: NotesDay | null;
  /** When it was said, epoch ms: the end of the day, or when the file was last changed. */
  at: number;
  /** Where the block stands among those of its file, from 0; kept, to know it again when it is edited. */
  place: number;
}

/** How many of the headings above a block are told with it. */
const HEADINGS_TOLD = 2;
/** A paragraph of as many words is understood without its headings. */
const WORDS_ALONE = 12;
/** So few words need even the kind of thing that they are, as in "likes: tea". */
const WORDS_UNCLEAR = 2;
const URGENT = /\b(?:important|critical|always|never|must|wichtig|immer|niemals?)\b|重要|必ず/i;

/** Importance of notes, of what stands in the long-term file, and of its decisions and preferences; one more for what says that it matters. */
const IMPORTANCE = { daily: 4, lasting: 5, weighty: 6 } as const;

/** What the memory of a block says: the headings that name what it is about come before it, where it does not name that itself. */
export function contentOfBlock(block: Pick<Block, 'kind' | 'headings' | 'content'>): string {
  const words = countOfWords(block.content);
  const alone = block.kind === 'paragraph' && words >= WORDS_ALONE;
  const kinds = words <= WORDS_UNCLEAR;
  const about = block.headings
    .filter((heading) => saysSomething(heading, kinds) && !isNamedIn(heading, block.content))
    .slice(-HEADINGS_TOLD)
    .map(labelOf);
  if (alone || about.length === 0) return block.content;
  return `${about.join(', ')}:${block.kind === 'code' ? '\n' : ' '}${block.content}`;
}

export function categoryOfBlock(block: Pick<Block, 'headings'>, daily: boolean): MemoryCategory {
  return categoryOf(block.headings) ?? (daily ? 'event' : 'fact');
}

/** 1 to 10. */
export function importanceOfBlock(block: Pick<Block, 'headings' | 'content'>, daily: boolean): number {
  const base = daily ? IMPORTANCE.daily : isWeighty(block.headings) ? IMPORTANCE.weighty : IMPORTANCE.lasting;
  return base + (URGENT.test(block.content) ? 1 : 0);
}

/**
 * The memory that a block of a workspace becomes. Its origin is `import`: people and agents both write into these files and nothing says who
 * wrote a line, and what somebody's agent noted must not pass for the user's own word.
 */
export function memoryOfBlock(block: Block, source: BlockSource): NewBlock {
  const daily = source.day !== null;
  return {
    blockHash: block.hash,
    occurrence: block.occurrence,
    content: contentOfBlock(block),
    category: categoryOfBlock(block, daily),
    origin: 'import',
    documentDate: source.at,
    importance: importanceOfBlock(block, daily),
    metadata: { file: source.path, headings: block.headings, place: source.place },
    ...(source.day === null ? {} : { day: source.day }),
  };
}
