/** Brings node_modules in line with the lock file, in a fresh clone as well as after a pull. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runQuiet, since } from './foreground.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

const PROGRESS_MS = 5_000;

const readJson = (...path) => JSON.parse(readFileSync(join(ROOT, ...path), 'utf8'));

/** @throws {Error} when this Node is older than the package.json asks for */
export function checkNode(version = process.versions.node) {
  const wanted = readJson('package.json').engines.node.replace('>=', '').split('.').map(Number);
  const actual = version.split('.').map(Number);
  for (const [index, least] of wanted.entries()) {
    if (actual[index] > least) return;
    if (actual[index] < least) {
      throw new Error(`Slowwave needs Node.js ${wanted.join('.')} or newer; this is ${version}.`);
    }
  }
}

/**
 * Compares what npm says it installed with what the lock file asks for. Packages for other platforms are never installed.
 * @param {Record<string, object>} wanted `packages` of package-lock.json
 * @param {Record<string, object>} installed `packages` of node_modules/.package-lock.json
 */
export function isCurrent(wanted, installed) {
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue;
    const there = installed[path];
    const mayBeMissing = entry.optional || entry.devOptional || entry.peer || entry.extraneous;
    if (!there && !mayBeMissing) return false;
    if (there && (there.version !== entry.version || there.integrity !== entry.integrity)) return false;
  }
  return Object.keys(installed).every((path) => path in wanted);
}

function dependenciesAreCurrent() {
  try {
    const installed = readJson('node_modules', '.package-lock.json').packages;
    return isCurrent(readJson('package-lock.json').packages, installed);
  } catch {
    return false;
  }
}

function countUnpacked() {
  try {
    const folders = readdirSync(join(ROOT, 'node_modules'));
    return folders.filter((name) => !name.startsWith('.')).length;
  } catch {
    return 0;
  }
}

/** The npm that runs this script, if one does: it need not be the one on the PATH. */
export function npm(args) {
  const { npm_execpath: running } = process.env;
  return running && basename(running) === 'npm-cli.js'
    ? [process.execPath, [running, ...args]]
    : ['npm', args];
}

/**
 * Runs `npm ci` when node_modules is missing or differs from the lock file; otherwise does nothing.
 * @throws {Error} with npm's own output when it fails
 */
export async function ensureInstalled(say = (line) => console.error(line)) {
  checkNode();
  if (dependenciesAreCurrent()) return;
  const start = Date.now();
  say('Installing the dependencies (npm ci); this needs the network and about a minute …');
  const progress = setInterval(
    () => say(`  … ${since(start)}, ${countUnpacked()} folders in node_modules`),
    PROGRESS_MS,
  );
  // Development dependencies are needed to build, whatever NODE_ENV says. No package needs its install script.
  const [command, args] = npm(['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund']);
  try {
    const { code, output } = await runQuiet(command, args, { cwd: ROOT });
    if (code !== 0) throw new Error(`${output}\nnpm ci failed (exit code ${code}).`);
  } finally {
    clearInterval(progress);
  }
  say(`Installed the dependencies in ${since(start)}.`);
}
