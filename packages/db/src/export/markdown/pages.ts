import { bullet, dayOf, inline } from './text.ts';

/** A memory as the pages need it. */
export interface PageMemory {
  id: string;
  content: string;
  category: string;
  state: 'latest' | 'archived' | 'superseded';
  date: string;
  importance: number;
  derived: boolean;
  supersededBy: string | null;
}

export interface PageConflict {
  a: string;
  b: string;
  status: string;
  type: string;
  description: string;
  resolution: string;
  winner: string;
  detectedAt: string;
}

const byDate = (a: PageMemory, b: PageMemory): number =>
  a.date === b.date ? (a.id < b.id ? -1 : 1) : a.date < b.date ? 1 : -1;

const SECTIONS = [
  ['latest', 'Latest'],
  ['archived', 'Archived'],
  ['superseded', 'Superseded'],
] as const;

/** Memories of one category: latest, then archived, then superseded; the newest first, derived ones with what they were made of. */
export function categoryPage(
  category: string,
  memories: readonly PageMemory[],
  of: { memories: ReadonlyMap<string, PageMemory>; sources: ReadonlyMap<string, readonly string[]> },
): string {
  const parts = [`# ${inline(category)}`];
  for (const [state, title] of SECTIONS) {
    const found = memories.filter((memory) => memory.state === state).sort(byDate);
    if (found.length === 0) continue;
    parts.push(`## ${title}`, found.map((memory) => memoryLines(memory, of)).join('\n'));
  }
  return `${parts.join('\n\n')}\n`;
}

function memoryLines(memory: PageMemory, of: Parameters<typeof categoryPage>[2]): string {
  const facts = [dayOf(memory.date), `importance ${memory.importance}`, memory.derived ? 'derived' : ''];
  const lines = [
    bullet(memory.content),
    `  *${facts.filter((fact) => fact !== '').join(', ')}* <!-- ${memory.id} -->`,
  ];
  const successor = memory.supersededBy === null ? undefined : of.memories.get(memory.supersededBy);
  if (successor) lines.push(bullet(successor.content, 1, 'superseded by: '));
  for (const id of of.sources.get(memory.id) ?? []) {
    const source = of.memories.get(id);
    if (source) lines.push(bullet(source.content, 1, 'made of: '));
  }
  return lines.join('\n');
}

/** Open conflicts first, then settled ones. */
export function conflictPage(
  conflicts: readonly PageConflict[],
  memories: ReadonlyMap<string, PageMemory>,
): string {
  const parts = ['# Conflicts'];
  const open = conflicts.filter(({ status }) => status !== 'resolved');
  const settled = conflicts.filter(({ status }) => status === 'resolved');
  for (const [title, found] of [
    ['Open', open],
    ['Settled', settled],
  ] as const) {
    if (found.length === 0) continue;
    parts.push(`## ${title}`, found.map((conflict) => conflictLines(conflict, memories)).join('\n'));
  }
  return `${parts.join('\n\n')}\n`;
}

function conflictLines(conflict: PageConflict, memories: ReadonlyMap<string, PageMemory>): string {
  const words = [conflict.type, conflict.description].filter((word) => word !== '').join(': ');
  const lines = [bullet(words === '' ? 'not looked at yet' : words, 0, `${dayOf(conflict.detectedAt)} `)];
  for (const id of [conflict.a, conflict.b]) {
    const memory = memories.get(id);
    if (memory) lines.push(bullet(memory.content, 1, id === conflict.winner ? 'stands: ' : ''));
  }
  if (conflict.resolution !== '') lines.push(bullet(conflict.resolution, 1, 'settled: '));
  return lines.join('\n');
}

/** The first page of a user: what there is and where it stands. */
export function indexPage(input: {
  user: string;
  timezone: string;
  categories: readonly { category: string; file: string; counts: Record<PageMemory['state'], number> }[];
  conflicts: number;
  documents: readonly string[];
}): string {
  const { user, timezone, categories, conflicts, documents } = input;
  const parts = [`# Memories of ${inline(user)}`, `Time zone: ${inline(timezone)}`];
  if (categories.length > 0) {
    parts.push(
      categories
        .map(
          ({ category, file, counts }) =>
            `- [${inline(category)}](${linkTo(file)}): ${counts.latest} latest, ${counts.archived} archived, ${counts.superseded} superseded`,
        )
        .join('\n'),
    );
  }
  if (conflicts > 0) parts.push(`[Conflicts](conflicts.md): ${conflicts}`);
  if (documents.length > 0) {
    parts.push('## Documents', documents.map((path) => `- [${inline(path)}](${linkTo(path)})`).join('\n'));
  }
  return `${parts.join('\n\n')}\n`;
}

const linkTo = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
