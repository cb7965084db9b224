/** What the repository holds, for tests that judge it as a whole. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Manifest, SourceFile } from './import-rules.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
export const readJson = <T>(path: string): T => JSON.parse(readText(path)) as T;

const NEVER_TRACKED = new Set(['node_modules', 'dist', 'coverage', '.git', '.turbo', '.slowwave']);

function walk(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (NEVER_TRACKED.has(entry.name) || /\.(?:log|tsbuildinfo)$/.test(entry.name)) return [];
    return entry.isDirectory() ? walk(path) : [path];
  });
}

/**
 * Files that are, or are about to be, under version control. Without git, or in an archive of the sources, what .gitignore
 * leaves.
 */
export function repositoryFiles(): string[] {
  const args = ['-c', 'safe.directory=*', 'ls-files', '--cached', '--others', '--exclude-standard'];
  const listed = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  const paths = listed.status === 0 ? listed.stdout.split('\n').filter((path) => path !== '') : walk('.');
  return [...new Set(paths)].filter((path) => existsSync(join(ROOT, path))).sort();
}

/** TypeScript under packages/ and apps/, tests included. */
export function workspaceSources(): SourceFile[] {
  return repositoryFiles()
    .filter((path) => /^(?:packages|apps)\/[^/]+\/src\/.*\.ts$/.test(path))
    .map((path) => ({ path, text: readText(path) }));
}

export function manifests(): Manifest[] {
  const folders = repositoryFiles()
    .filter((path) => /^(?:(?:packages|apps)\/[^/]+\/)?package\.json$/.test(path))
    .map((path) => path.replace(/\/?package\.json$/, '') || '.');
  return folders.map((folder) => {
    const manifest = readJson<{
      name: string;
      dependencies?: Record<string, string>;
      devDependencies?: Record<string, string>;
    }>(`${folder}/package.json`);
    const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    return { folder, name: manifest.name, dependencies };
  });
}
