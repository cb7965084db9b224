import type { ImportedLine } from './parse.ts';
import type { LineReason } from './problems.ts';
import type { MemoryRecord, UserRecord } from './record.ts';

/** Some consecutive lines of a file, sorted by what is to be done with them. */
export interface ImportBatch {
  memories: { line: number; record: MemoryRecord }[];
  users: { line: number; record: UserRecord }[];
  bad: { line: number; reason: LineReason }[];
  /** Lines that only an evaluation has a use for. */
  questions: number;
  /** Lines that repeat an earlier one word for word. */
  duplicates: { line: number; duplicateOf: number }[];
  /** How often each field that is not known was kept under `metadata.import`. */
  unknown: Map<string, number>;
  /** The last line in the batch. */
  lastLine: number;
}

const emptyBatch = (): ImportBatch => ({
  memories: [],
  users: [],
  bad: [],
  questions: 0,
  duplicates: [],
  unknown: new Map(),
  lastLine: 0,
});

function addLine(batch: ImportBatch, item: ImportedLine): void {
  batch.lastLine = item.line;
  if (!item.ok) {
    batch.bad.push({ line: item.line, reason: item.reason });
    return;
  }
  const { line, record, duplicateOf } = item;
  for (const field of item.unknown) batch.unknown.set(field, (batch.unknown.get(field) ?? 0) + 1);
  if (duplicateOf !== null) batch.duplicates.push({ line, duplicateOf });
  else if (record.kind === 'user') batch.users.push({ line, record });
  else if (record.kind === 'question') batch.questions += 1;
  else batch.memories.push({ line, record });
}

/**
 * Groups lines into batches for one transaction each: at most `lines` lines (500), and no further line once the memories
 * hold `chars` UTF-16 units of text (1,048,576), so that a file of long memories needs no more room than one of short ones.
 */
export async function* importBatches(
  source: AsyncIterable<ImportedLine>,
  limits: { lines?: number; chars?: number } = {},
): AsyncGenerator<ImportBatch> {
  const maxLines = limits.lines ?? 500;
  const maxChars = limits.chars ?? 1024 * 1024;
  let batch = emptyBatch();
  let lines = 0;
  let chars = 0;
  for await (const item of source) {
    addLine(batch, item);
    lines++;
    if (item.ok && item.record.kind === 'memory') chars += item.record.content.length;
    if (lines < maxLines && chars < maxChars) continue;
    yield batch;
    batch = emptyBatch();
    lines = 0;
    chars = 0;
  }
  if (lines > 0) yield batch;
}
