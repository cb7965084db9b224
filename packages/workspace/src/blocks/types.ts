/** What a block was in its file. */
export type BlockKind = 'bullet' | 'paragraph' | 'row' | 'code';

/** One thing that a Markdown file says. */
export interface Block {
  kind: BlockKind;
  /** The headings above it, outermost first, in plain text; what leads a list in ("Deploy:") counts as one. */
  headings: string[];
  /** What it says, in plain text: no marks of emphasis, no checkbox, links readable. */
  content: string;
  /** Counted from 1, both included. */
  startLine: number;
  endLine: number;
  /** SHA-256 of headings and content, hex. */
  hash: string;
  /** Equal blocks of one file are counted from 1. */
  occurrence: number;
}

/** A block before equal ones were counted. */
export type RawBlock = Omit<Block, 'hash' | 'occurrence'>;
