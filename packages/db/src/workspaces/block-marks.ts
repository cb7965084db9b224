import { createHash } from 'node:crypto';
import { forgottenMark } from '../memories/insert.ts';
import type { Owner } from './key.ts';

/**
 * The name under which the memory of a block is known: the same text of the same workspace has the same one, in whatever file, but in the
 * notes of days one for each day.
 * @param day YYYY-MM-DD
 */
export function blockNameOf(workspace: string, blockHash: string, day?: string): string {
  const place = createHash('sha256').update(workspace, 'utf8').digest('hex').slice(0, 16);
  return `block:${place}:${blockHash}${day === undefined ? '' : `:${day}`}`;
}

/**
 * What stays of a forgotten memory that stood in a file, so that the file does not bring it back, not even when its workspace was removed
 * and made again: hashes of the block's name, and of what the memory said, for the same text under another heading.
 */
export function blockMarks(
  of: Owner,
  block: { workspace: string; blockHash: string; contentHash: string | null },
): string[] {
  const names = [blockNameOf(block.workspace, block.blockHash)];
  if (block.contentHash !== null) names.push(`block-text:${block.contentHash}`);
  return names.map((name) => forgottenMark(of.tenant, of.user, name));
}
