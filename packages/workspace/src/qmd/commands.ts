import { createHash } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import type { MemorySearchOptions } from '../backend/types.ts';
import { agentFolder, agentFolderName, MEMORY_WORKSPACE_PATH } from '../files/paths.ts';
import { searchLimit } from '../files/search.ts';

export const QMD_COMMAND = 'qmd';
const MASK = '**/*.md';

/** A folder that qmd indexes: a project's memory or an agent's. */
export interface QmdTarget {
  rootDir: string;
  /** Relative to the project. */
  folder: string;
  collection: string;
}

function shortHash(text: string): string {
  return createHash('sha1').update(text).digest('hex').slice(0, 12);
}

/** The name of a project's collection, by its absolute path. */
export function qmdMemoryCollectionName(rootDir: string): string {
  const root = resolve(rootDir);
  const slug = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `fusion-memory-${slug || 'project'}-${shortHash(root)}`;
}

/** The name of the collection of an agent's memory in a project. */
export function qmdAgentMemoryCollectionName(rootDir: string, agentId: string): string {
  const agent = agentFolderName(agentId).toLowerCase();
  return `fusion-agent-memory-${agent}-${shortHash(`${resolve(rootDir)}:${agentId}`)}`;
}

export function projectTarget(rootDir: string): QmdTarget {
  return { rootDir, folder: MEMORY_WORKSPACE_PATH, collection: qmdMemoryCollectionName(rootDir) };
}

export function agentTarget(rootDir: string, agentId: string): QmdTarget {
  const collection = qmdAgentMemoryCollectionName(rootDir, agentId);
  return { rootDir, folder: agentFolder(agentId), collection };
}

/** The arguments of a search, in the order that callers know. What is run guards the query, see `searchArgs`. */
export function buildQmdSearchArgs(rootDir: string, options: MemorySearchOptions): string[] {
  const collection = qmdMemoryCollectionName(rootDir);
  const limit = String(searchLimit(options.limit));
  return ['search', options.query, '--json', '--collection', collection, '-n', limit];
}

/** The arguments of a search as it is run: after `--` no query is taken for an option. Asks for more than wanted, since hits are sorted out. */
export function searchArgs(target: QmdTarget, options: MemorySearchOptions): string[] {
  const count = String(searchLimit(options.limit) + 5);
  return ['search', '--json', '--collection', target.collection, '-n', count, '--', options.query];
}

export function collectionAddArgs(target: QmdTarget): string[] {
  const folder = join(target.rootDir, target.folder);
  return ['collection', 'add', folder, '--name', target.collection, '--mask', MASK];
}

export function buildQmdCollectionAddArgs(rootDir: string): string[] {
  return collectionAddArgs(projectTarget(rootDir));
}

/** What a whole refresh runs, in order. */
export function buildQmdRefreshCommands(rootDir: string): string[][] {
  return [buildQmdCollectionAddArgs(rootDir), ['update'], ['embed']];
}
