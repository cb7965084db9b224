import type { MemoryCategory } from '@slowwave/fusion';
import { categoryOf } from '../heading-words.ts';
import { type Collector, dayOfEntry, foreignId, hashOf } from './collect.ts';
import { fieldOf, instantOf, isObject, type JsonObject, listOf, parseJson, textOf } from './json.ts';
import { FOREIGN_ENTRIES_MAX, type ForeignOptions } from './types.ts';

/** Where the list of memories stands in answers and exports. */
const LISTS = ['results', 'memories', 'data'] as const;
/** How deep that list may stand. */
const NESTED_MAX = 3;
/** Kept beside the memory, so that nothing of the export is lost. */
const KEPT = [
  'agent_id',
  'app_id',
  'actor_id',
  'role',
  'categories',
  'metadata',
  'structured_attributes',
] as const;
/** Categories of personal facts that say what somebody likes, or whom somebody knows. */
const PREFERENCES = /prefer|food|music|entertainment|hobb|style|sport|travel/i;
const PEOPLE = /famil|friend|relationship|people/i;

/** The memories of an export: a list, or an object that holds one. */
export function mem0List(value: unknown, depth = 0): unknown[] | null {
  if (Array.isArray(value)) return value;
  if (!isObject(value) || depth === NESTED_MAX) return null;
  for (const name of LISTS) {
    const list = listOf(value, name);
    if (list) return list;
    const inner = fieldOf(value, name);
    if (isObject(inner)) return mem0List(inner, depth + 1);
  }
  return null;
}

/** The text of an entry: of the API, or as the store of an open-source installation keeps it. */
function contentOf(entry: JsonObject): string | null {
  const payload = fieldOf(entry, 'payload');
  return (
    textOf(entry, 'memory') ??
    (isObject(payload) ? (textOf(payload, 'data') ?? textOf(payload, 'memory')) : null) ??
    textOf(entry, 'text') ??
    textOf(entry, 'data')
  );
}

/** Whether a list looks like one of this format. */
export function isMem0Entry(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  const payload = fieldOf(entry, 'payload');
  return textOf(entry, 'memory') !== null || (isObject(payload) && textOf(payload, 'data') !== null);
}

function categoryOfEntry(entry: JsonObject): MemoryCategory {
  const names = (listOf(entry, 'categories') ?? []).filter(
    (name): name is string => typeof name === 'string',
  );
  const said = names.map((name) => name.replaceAll('_', ' '));
  if (said.some((name) => PEOPLE.test(name))) return 'relationship';
  if (said.some((name) => PREFERENCES.test(name))) return 'preference';
  return categoryOf(said) ?? 'fact';
}

function keptOf(entry: JsonObject): Record<string, unknown> {
  const kept = KEPT.flatMap((name) => {
    const value = fieldOf(entry, name);
    return value === null ? [] : [[name, value] as const];
  });
  return kept.length === 0 ? {} : { mem0: Object.fromEntries(kept) };
}

/** Reads an export of mem0: what `get_all` answers, a page of its API, or an export of its platform. */
export function readMem0(text: string, options: ForeignOptions, collector: Collector): void {
  const value = parseJson(text, collector);
  if (value === undefined) return;
  const list = mem0List(value) ?? (isMem0Entry(value) ? [value] : null);
  if (!list) {
    collector.problem(
      0,
      'unknown_shape',
      'expected a list of memories, or an object with such a list under "results"',
    );
    return;
  }
  if (isObject(value) && fieldOf(value, 'next') !== null) collector.skip(0, 'next_pages');
  const max = options.entriesMax ?? FOREIGN_ENTRIES_MAX;
  if (list.length > max) {
    collector.problem(
      max + 1,
      'too_many',
      `the export has more than ${max} entries: from here on nothing is read; split it`,
    );
  }
  list.slice(0, max).forEach((entry, at) => {
    if (isObject(entry)) readEntry(entry, at + 1, options, collector);
    else collector.problem(at + 1, 'not_object', 'the entry is not an object');
  });
}

function readEntry(entry: JsonObject, line: number, options: ForeignOptions, collector: Collector): void {
  const payload = fieldOf(entry, 'payload');
  const fields = isObject(payload) ? { ...payload, ...entry } : entry;
  const content = contentOf(entry);
  if (content === null) {
    collector.problem(line, 'missing', 'the entry has no "memory": it is left out');
    return;
  }
  const created = fieldOf(fields, 'created_at') ?? fieldOf(fields, 'updated_at');
  const date = created === null ? options.at : instantOf(created);
  if (date === null) {
    collector.problem(line, 'invalid_date', 'created_at is no date: expected one like 2026-04-12T18:30:00Z');
    return;
  }
  const user = textOf(fields, 'user_id');
  const id = fieldOf(entry, 'id');
  const named = typeof id === 'string' || typeof id === 'number';
  const expires = fieldOf(fields, 'expiration_date');
  const expiresAt = expires === null ? null : instantOf(expires);
  if (expires !== null && expiresAt === null) {
    collector.problem(line, 'invalid_date', 'expiration_date is no date: expected one like 2026-04-12');
    return;
  }
  collector.add({
    line,
    id: named ? foreignId('mem0', String(id)) : `mem0:${hashOf(content, ...dayOfEntry(created, date))}`,
    content,
    category: categoryOfEntry(fields),
    user: user === null ? null : user,
    session: sessionOf(fields),
    date,
    expiresAt,
    metadata: keptOf(fields),
  });
}

function sessionOf(fields: JsonObject): string | null {
  const run = textOf(fields, 'run_id');
  return run !== null && run.length <= 200 && !/[\p{Cc}\u2028\u2029]/u.test(run) ? run : null;
}
