import { createHash } from 'node:crypto';
import type { Block, RawBlock } from './types.ts';

const normalised = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[ \t]+/g, ' ')
    .trim();

/** By what a block is known: SHA-256 (hex) of its headings and what it says. Where it stands does not matter. */
export function hashOfBlock(block: Pick<RawBlock, 'headings' | 'content'>): string {
  const said = JSON.stringify([block.headings.map(normalised), normalised(block.content)]);
  return createHash('sha256').update(said, 'utf8').digest('hex');
}

/** Gives blocks of one file their hashes, and equal ones their count. */
export function numbered(blocks: readonly RawBlock[]): Block[] {
  const seen = new Map<string, number>();
  return blocks.map((block) => {
    const hash = hashOfBlock(block);
    const occurrence = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, occurrence);
    return { ...block, hash, occurrence };
  });
}
