import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Database } from '../database.ts';
import { readJson } from '../import/json.ts';
import { DEFAULT_IMPORT_LIMITS } from '../import/limits.ts';
import { linesOfBytes, linesOfText, type RawLine } from '../import/lines.ts';
import { isObject } from '../import/metadata.ts';
import { RECORD_DEFAULTS } from '../import/record.ts';
import type { LoadOptions } from '../import/summary.ts';
import { isOpen } from '../import/tenants.ts';
import { DOCUMENT_START, EXPORT_END, EXPORT_KIND } from './header.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const LINES_PER_LOOK = 500;
const CHARS_PER_LOOK = 4 * 1024 * 1024;

/** Lines of an export that an ordinary import has no place for, by their kind. */
export type LeftOut = Record<string, number>;

interface Held {
  raw: RawLine;
  /** The memory that the line is about, where it would be written. */
  memory: { tenant: string; id: string } | null;
}

interface Ordinary extends Pick<Held, 'memory'> {
  /** What an ordinary import reads in its place; empty for a line that is left out. */
  text: string;
}

/**
 * An export as a file that an ordinary import reads, line by line under the same numbers: users with their schedule, and memories that
 * stand for themselves. Superseded and archived ones would come back as if they still held, and everything else has no place in such a
 * file: both are counted and left out, and so is a memory that is here, was moved away here or was forgotten here under its own id.
 */
export async function* mergeLines(
  database: Database,
  source: AsyncIterable<Uint8Array> | string,
  leftOut: LeftOut,
  options: Pick<LoadOptions, 'onlyTenant'> = {},
): AsyncGenerator<RawLine> {
  const lines: AsyncIterable<RawLine> | Iterable<RawLine> =
    typeof source === 'string'
      ? linesOfText(source, DEFAULT_IMPORT_LIMITS)
      : linesOfBytes(source, DEFAULT_IMPORT_LIMITS);
  let held: Held[] = [];
  let chars = 0;
  async function settle(): Promise<RawLine[]> {
    const known = await knownHere(database, held, options);
    const settled = held.map(({ raw, memory }) => {
      if (memory === null || !known.has(memory.id)) return raw;
      count(leftOut, 'known');
      return { line: raw.line, text: '' };
    });
    held = [];
    chars = 0;
    return settled;
  }
  for await (const raw of lines) {
    const next = heldLine(raw, leftOut);
    held.push(next);
    chars += 'text' in next.raw ? next.raw.text.length : 0;
    if (held.length >= LINES_PER_LOOK || chars >= CHARS_PER_LOOK) yield* await settle();
  }
  if (held.length > 0) yield* await settle();
}

/** What cannot be read is refused by the import itself, under its number; documents are left out, however long they are. */
function heldLine(raw: RawLine, leftOut: LeftOut): Held {
  const { line } = raw;
  if ('text' in raw) {
    const { text, memory } = ordinaryLine(raw.text, leftOut);
    return { raw: { line, text }, memory };
  }
  if (!raw.start?.startsWith(DOCUMENT_START)) return { raw, memory: null };
  count(leftOut, raw.start.startsWith(`${DOCUMENT_START}-version"`) ? 'document-version' : 'document');
  return { raw: { line, text: '' }, memory: null };
}

const count = (leftOut: LeftOut, kind: string): void => {
  leftOut[kind] = (leftOut[kind] ?? 0) + 1;
};

function ordinaryLine(text: string, leftOut: LeftOut): Ordinary {
  const read = readJson(text);
  if ('code' in read) return { text, memory: null };
  const { value } = read;
  if (!isObject(value) || !isObject(value.state)) {
    const kind = isObject(value) ? value.kind : undefined;
    // Lines that somebody added by hand are ordinary ones.
    if (kind === undefined || kind === 'memory' || kind === 'user') return { text, memory: null };
    if (kind !== EXPORT_KIND && kind !== EXPORT_END && kind !== 'end') count(leftOut, String(kind));
    return { text: '', memory: null };
  }
  const { state, ...said } = value;
  return said.kind === 'memory'
    ? ordinaryMemory(said, state, leftOut)
    : { text: JSON.stringify(said), memory: null };
}

function ordinaryMemory(
  said: Record<string, unknown>,
  state: Record<string, unknown>,
  leftOut: LeftOut,
): Ordinary {
  if (said.memoryType === 'superseded' || state.isLatest !== true || state.archivedAt !== undefined) {
    count(leftOut, said.memoryType === 'superseded' ? 'superseded' : 'archived');
    return { text: '', memory: null };
  }
  const id = typeof state.id === 'string' && UUID.test(state.id) ? state.id : null;
  const line = {
    ...said,
    // Derived memories have no name of their writer's: the second time they must be known again.
    ...(said.id === undefined && id !== null ? { id: `memory:${id}` } : {}),
    // What it was made of stays behind, so it stands for itself.
    ...(said.memoryType === 'derived' ? { memoryType: 'regular' } : {}),
  };
  const tenant = typeof said.tenant === 'string' ? said.tenant : RECORD_DEFAULTS.tenant;
  return { text: JSON.stringify(line), memory: id === null ? null : { tenant, id } };
}

async function knownHere(
  database: Database,
  held: readonly Held[],
  options: Pick<LoadOptions, 'onlyTenant'>,
): Promise<Set<string>> {
  const ids = new Map<string, string[]>();
  for (const { memory } of held) {
    // Nobody learns from here what another tenant has.
    if (memory && isOpen(memory.tenant, options))
      ids.set(memory.tenant, [...(ids.get(memory.tenant) ?? []), memory.id]);
  }
  const known = new Set<string>();
  for (const [tenant, mine] of ids) {
    const wanted = uuidArray(mine);
    const rows = await database.withTenant(tenant, (tx) =>
      tx.rows<{ id: string }>(sql`
        select id from slowwave.memories where tenant = ${tenant} and id = any(${wanted})
        union select id from slowwave.cold_memories where tenant = ${tenant} and id = any(${wanted})
        union select memory_id from slowwave.tombstones where tenant = ${tenant} and memory_id = any(${wanted})`),
    );
    for (const { id } of rows) known.add(id);
  }
  return known;
}
