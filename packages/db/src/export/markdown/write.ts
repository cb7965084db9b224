import { isObject } from '../../import/metadata.ts';
import { safeName } from './names.ts';
import { categoryPage, conflictPage, indexPage, type PageConflict, type PageMemory } from './pages.ts';

export interface MarkdownExport {
  /** The lines of an export in their order, without their ends. */
  take(lines: readonly string[]): Promise<void>;
  counts: { users: number; files: number };
}

interface Gathered {
  user: string;
  folder: string;
  timezone: string;
  memories: Map<string, PageMemory>;
  /** What each derived memory was made of. */
  sources: Map<string, string[]>;
  conflicts: PageConflict[];
  documents: string[];
}

type Fields = Record<string, unknown>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
/** The names that documents have by contract stay as they are. */
const PLAIN_DOCUMENTS: ReadonlySet<string> = new Set(['MEMORY.md', 'DREAMS.md']);

/**
 * Turns the lines of an export into pages for people: a folder for each user with an index, a page for each category, conflicts, and
 * the documents of workspaces byte for byte. Holds the memories of one user at a time.
 * @param write a file by its path below the export, with / between its parts; every part is a safe name
 */
export function createMarkdownExport(
  write: (path: string, content: string) => Promise<void>,
): MarkdownExport {
  const counts = { users: 0, files: 0 };
  let current: Gathered | null = null;

  async function put(path: string, content: string): Promise<void> {
    counts.files++;
    await write(path, content);
  }

  async function takeLine(fields: Fields): Promise<void> {
    if (fields.kind === 'user') current = gather(fields);
    else if (current === null) return;
    else if (fields.kind === 'document') await putDocument(current, fields);
    else if (fields.kind === 'end') {
      await putUser(current, put);
      counts.users++;
      current = null;
    } else note(current, fields);
  }

  async function putDocument(of: Gathered, fields: Fields): Promise<void> {
    // A folder, without a text of its own.
    if (text(fields.path).endsWith('/')) return;
    const file = safeName(text(fields.path), '.md', PLAIN_DOCUMENTS);
    const path = `workspaces/${safeName(text(fields.workspace))}/${file}`;
    of.documents.push(path);
    await put(`${of.folder}/${path}`, text(fields.content));
  }

  return {
    counts,
    async take(lines) {
      for (const line of lines) {
        const fields: unknown = JSON.parse(line);
        if (isObject(fields)) await takeLine(fields);
      }
    },
  };
}

const gather = (fields: Fields): Gathered => ({
  user: text(fields.user),
  folder: safeName(text(fields.user)),
  timezone: text(fields.timezone),
  memories: new Map(),
  sources: new Map(),
  conflicts: [],
  documents: [],
});

function note(of: Gathered, fields: Fields): void {
  if (fields.kind === 'memory') noteMemory(of, memoryOf(fields));
  else if (fields.kind === 'cold-memory') noteMemory(of, movedMemory(fields));
  else if (fields.kind === 'relation' && fields.relationType === 'DERIVES') {
    // The relation points from the derived memory to a source.
    const id = text(fields.sourceId);
    of.sources.set(id, [...(of.sources.get(id) ?? []), text(fields.targetId)]);
  } else if (fields.kind === 'conflict') {
    of.conflicts.push({
      a: text(fields.aId),
      b: text(fields.bId),
      status: text(fields.status),
      type: text(fields.type),
      description: text(fields.description),
      resolution: text(fields.resolution),
      winner: text(fields.winner),
      detectedAt: text(fields.detectedAt),
    });
  }
}

function noteMemory(of: Gathered, memory: PageMemory | null): void {
  if (memory) of.memories.set(memory.id, memory);
}

function memoryOf(fields: Fields): PageMemory | null {
  const { state } = fields;
  if (!isObject(state)) return null;
  const superseded = fields.memoryType === 'superseded' || state.isLatest !== true;
  return {
    id: text(state.id),
    content: text(fields.content),
    category: text(fields.category),
    state: superseded ? 'superseded' : state.archivedAt === undefined ? 'latest' : 'archived',
    date: text(fields.date),
    importance: Number(fields.importance),
    derived: fields.memoryType === 'derived' || state.priorType === 'derived',
    supersededBy: text(state.supersededBy) || null,
  };
}

/** One that was moved away after its retention, as the row that it was. */
function movedMemory(fields: Fields): PageMemory | null {
  const row = fields.memory;
  if (!isObject(row)) return null;
  return {
    id: text(fields.id),
    content: text(row.content),
    category: text(row.category),
    state: row.memory_type === 'superseded' ? 'superseded' : 'archived',
    date: text(row.document_date),
    importance: Number(row.importance),
    derived: row.memory_type === 'derived' || row.prior_type === 'derived',
    supersededBy: text(row.superseded_by) || null,
  };
}

async function putUser(of: Gathered, put: (path: string, content: string) => Promise<void>): Promise<void> {
  const { user, folder, timezone, memories, conflicts, documents } = of;
  const byCategory = new Map<string, PageMemory[]>();
  for (const memory of memories.values()) {
    const found = byCategory.get(memory.category);
    if (found) found.push(memory);
    else byCategory.set(memory.category, [memory]);
  }
  const categories = [];
  for (const [category, found] of [...byCategory].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const file = `memories/${safeName(category)}.md`;
    const counts = { latest: 0, archived: 0, superseded: 0 };
    for (const { state } of found) counts[state]++;
    categories.push({ category, file, counts });
    await put(`${folder}/${file}`, categoryPage(category, found, of));
  }
  if (conflicts.length > 0) await put(`${folder}/conflicts.md`, conflictPage(conflicts, memories));
  const index = indexPage({ user, timezone, categories, conflicts: conflicts.length, documents });
  await put(`${folder}/MEMORY.md`, index);
}
