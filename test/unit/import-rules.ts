/**
 * The allowed imports, and what the pure packages may not touch, as a function from sources to violations. Which folder may import
 * which stands in ALLOWED; a folder that is not in it may not exist.
 */
import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { importsOf, maskSource, type SourceImport } from './source-scan.ts';

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  path: string;
  text: string;
}

export interface Manifest {
  /** Such as "packages/db"; "." for the root. */
  folder: string;
  name: string;
  dependencies: readonly string[];
}

interface Allowance {
  workspaces: readonly string[];
  /** Node's own modules, npm packages, and everything outside of the process: clock, chance, environment. */
  pure: boolean;
}

const PACKAGES = ['config', 'fusion', 'api', 'db', 'models', 'queue', 'telemetry', 'workspace'].map(
  (name) => `packages/${name}`,
);

export const ALLOWED: Readonly<Record<string, Allowance>> = {
  'packages/config': { workspaces: [], pure: true },
  'packages/fusion': { workspaces: [], pure: true },
  'packages/api': { workspaces: ['packages/fusion'], pure: false },
  'packages/client': { workspaces: [], pure: false },
  'packages/mcp': { workspaces: ['packages/api', 'packages/client', 'packages/fusion'], pure: false },
  'packages/telemetry': { workspaces: [], pure: false },
  'packages/db': { workspaces: ['packages/fusion'], pure: false },
  'packages/models': { workspaces: ['packages/fusion'], pure: false },
  'packages/queue': { workspaces: ['packages/fusion'], pure: false },
  'packages/workspace': { workspaces: ['packages/fusion', 'packages/db'], pure: false },
  'apps/worker': { workspaces: PACKAGES, pure: false },
  'apps/producer': { workspaces: [...PACKAGES, 'packages/client', 'packages/mcp'], pure: false },
  'apps/standalone': {
    workspaces: [...PACKAGES, 'packages/client', 'packages/mcp', 'apps/worker', 'apps/producer'],
    pure: false,
  },
};

/** Nothing that gives a different answer tomorrow or on another machine. */
const IMPURE: readonly (readonly [string, RegExp])[] = [
  [
    'the clock',
    /\bDate\s*\.\s*now\b|\bnew\s+Date\b\s*(?:\(\s*\)|(?![\s(]))|(?<!\bnew\s+)(?<![.\w$])Date\s*\(|\bperformance\b/,
  ],
  ['chance', /\bMath\s*\.\s*random\b|(?<![.\w$])crypto\b/],
  ['a timer', /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/],
  ['the process', /(?<![.\w$])(?:process|globalThis|Deno|Bun)\b(?!\s*:)|\bimport\s*\.\s*meta\b/],
  ['the outside', /(?<![.\w$])(?:fetch|console|WebSocket)\s*[.(]/],
];

/** The processes themselves, and what starts qmd, which is told where its index is by its environment. */
const READS_ENVIRONMENT =
  /^(?:apps\/[^/]+\/src\/main|packages\/workspace\/src\/qmd\/(?:index-folder|refresh))\.ts$/;

const isTest = (path: string): boolean => path.endsWith('.test.ts');
export const folderOf = (path: string): string => path.split('/').slice(0, 2).join('/');
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
const isBuiltin = (specifier: string): boolean =>
  specifier.startsWith('node:') || builtinModules.includes(specifier);

function relativeViolation(path: string, specifier: string): string | null {
  const target = posix.join(posix.dirname(path), specifier);
  if (!specifier.endsWith('.ts')) return `relative import without .ts: ${specifier}`;
  const home = `${folderOf(path)}/src/`;
  if (target.startsWith(home) || (isTest(path) && target.startsWith('test/'))) return null;
  return `relative import out of its package: ${specifier}`;
}

function packageViolation(path: string, specifier: string, manifests: readonly Manifest[]): string | null {
  const folder = folderOf(path);
  const allowance = ALLOWED[folder] as Allowance;
  const name = packageOf(specifier);
  const own = manifests.find((manifest) => manifest.folder === folder);
  const root = manifests.find((manifest) => manifest.folder === '.');
  const workspace = manifests.find((manifest) => manifest.folder !== '.' && manifest.name === name);
  if (workspace && !allowance.workspaces.includes(workspace.folder)) {
    return `${folder} may not import ${workspace.folder}`;
  }
  const declared = own?.dependencies.includes(name) || (isTest(path) && root?.dependencies.includes(name));
  if (!declared) return `${name} is not declared in ${folder}/package.json`;
  if (allowance.pure && !isTest(path)) return `${folder} may not import the package ${name}`;
  return null;
}

function importViolation(path: string, { specifier }: SourceImport, manifests: readonly Manifest[]) {
  if (specifier === null) return isTest(path) ? null : 'dynamic import of a computed name';
  if (specifier.startsWith('.')) return relativeViolation(path, specifier);
  if (isBuiltin(specifier)) {
    if (!specifier.startsWith('node:')) return `built-in without node: prefix: ${specifier}`;
    return ALLOWED[folderOf(path)]?.pure && !isTest(path)
      ? `${folderOf(path)} may not import ${specifier}`
      : null;
  }
  return packageViolation(path, specifier, manifests);
}

function codeViolations({ path, text }: SourceFile): string[] {
  if (isTest(path)) return [];
  const code = maskSource(text);
  const found: string[] = [];
  if (ALLOWED[folderOf(path)]?.pure) {
    for (const [what, pattern] of IMPURE) {
      const match = pattern.exec(code);
      if (match) found.push(`reaches for ${what}: ${match[0]}`);
    }
  }
  if (/\bprocess\s*(?:\.\s*env\b|\[)|\bimport\s*\.\s*meta\s*\.\s*env\b/.test(code)) {
    if (!READS_ENVIRONMENT.test(path)) found.push('reads the environment outside of a main.ts');
  }
  const threads = importsOf(text).some(({ specifier }) => specifier === 'node:worker_threads');
  const made = /\bnew\s+(Queue|Worker|QueueEvents|FlowProducer)\s*[(<]/.exec(code)?.[1];
  if (made && !path.startsWith('packages/queue/') && !(made === 'Worker' && threads)) {
    found.push(`new ${made} outside of packages/queue`);
  }
  return found;
}

/** @returns one line per violation: "path:line what", in the order of the files */
export function violationsOf(files: readonly SourceFile[], manifests: readonly Manifest[]): string[] {
  const found: string[] = [];
  for (const file of files) {
    if (!ALLOWED[folderOf(file.path)]) {
      found.push(`${file.path}: ${folderOf(file.path)} is not in the table of allowed imports`);
      continue;
    }
    for (const entry of importsOf(file.text)) {
      const what = importViolation(file.path, entry, manifests);
      if (what) found.push(`${file.path}:${entry.line}: ${what}`);
    }
    found.push(...codeViolations(file).map((what) => `${file.path}: ${what}`));
  }
  return found;
}

/** Relative imports that lead back to where they started, each circle once, as the list of its files. */
export function cyclesOf(files: readonly SourceFile[]): string[][] {
  const graph = new Map<string, string[]>();
  for (const { path, text } of files) {
    const targets = importsOf(text)
      .map(({ specifier }) => specifier)
      .filter((specifier) => specifier?.startsWith('.'))
      .map((specifier) => posix.join(posix.dirname(path), specifier as string));
    graph.set(path, targets);
  }
  const cycles: string[][] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      cycles.push(trail.slice(start));
      return;
    }
    if (done.has(path)) return;
    for (const target of graph.get(path) ?? []) walk(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return cycles;
}
