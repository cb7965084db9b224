import { dayOfName } from './markdown.ts';

/** What a file of such a workspace is to an import. */
export type OpenClawFile = { read: true } | { read: false; reason: string };

/** Files that say what the agent is or has to do, and nothing about a person. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'soul.md': 'persona',
  'identity.md': 'persona',
  'agents.md': 'instructions',
  'tools.md': 'instructions',
  'boot.md': 'instructions',
  'bootstrap.md': 'instructions',
  'heartbeat.md': 'instructions',
  'skill.md': 'instructions',
  'readme.md': 'not_memory',
  'dreams.md': 'diary',
  'memory-insights.md': 'own_output',
  'memory-audit.md': 'own_output',
};

/**
 * What to do with a file of a workspace of OpenClaw, or of one like it: MEMORY.md, USER.md and whatever stands in the memory folder are read;
 * the rest is left out with a reason.
 * @param path relative to the folder that was given, with slashes
 */
export function openClawFile(path: string): OpenClawFile {
  const parts = path.toLowerCase().split('/');
  const name = parts.at(-1) ?? '';
  if (!name.endsWith('.md')) return { read: false, reason: 'not_markdown' };
  const reason = LEFT_OUT[name];
  if (reason !== undefined) return { read: false, reason };
  if (name === 'memory.md' || name === 'user.md' || dayOfName(path) !== null) return { read: true };
  return parts.slice(0, -1).includes('memory') ? { read: true } : { read: false, reason: 'not_memory' };
}

/** Whether the names of a folder are those of such a workspace. @param paths relative to it, with slashes */
export function isOpenClawFolder(paths: readonly string[]): boolean {
  const names = new Set(paths.map((path) => path.toLowerCase()));
  const daily = paths.some((path) => /(?:^|\/)memory\/[^/]+$/i.test(path) && dayOfName(path) !== null);
  const named = [...names].some((path) => /(?:^|\/)memory\.md$/.test(path));
  return (
    daily || (named && ['soul.md', 'agents.md', 'user.md', 'identity.md'].some((name) => names.has(name)))
  );
}
