/**
 * Bundles the built workspaces with their dependencies. An entry point (the main module, a thread) keeps its path from the repository, and
 * so does each file that a module reads relative to itself: `new URL('../x', import.meta.url)` gives the same path in both.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { ROOT } from '../install.mjs';

const CHUNKS = 'chunks';
/** A built module of a workspace. */
const OWN = /[\\/](?:packages|apps)[\\/][^\\/]+[\\/]dist[\\/].*\.js$/;
const NAMED = /\bnew URL\(\s*['"]([^'"]+)['"],\s*import\.meta\.url\s*\)/g;
const MODULE_URL = /\bmoduleUrl\("([^"]+)"\)/g;
/** A class up to its body, with the variable that it is assigned to and its own name. */
const CLASS = /(?:\b([\w$]+)\s*=\s*)?\bclass(?:\s+(?!extends\b)([\w$]+))?(?:\s+extends\s+[\w$.]+)?\s*\{/g;

/** CommonJS modules use these three names; an ECMAScript module has to define them. */
const BANNER = `import { createRequire as bannerRequire } from 'node:module';
import { fileURLToPath as bannerPath } from 'node:url';
const require = bannerRequire(import.meta.url);
const __filename = bannerPath(import.meta.url), __dirname = bannerPath(new URL('.', import.meta.url));`;

const fromRoot = (path) => relative(ROOT, path).replaceAll('\\', '/');

/**
 * Marks `import.meta.url` in the modules of the workspaces, because their code moves to chunks, and collects in `named` the URLs that they
 * build from it.
 */
const ownModules = (named) => ({
  name: 'own-modules',
  setup(build) {
    build.onLoad({ filter: OWN }, ({ path }) => {
      if (fromRoot(path).startsWith('node_modules/')) return null;
      const text = readFileSync(path, 'utf8');
      for (const [, file] of text.matchAll(NAMED)) named.add(new URL(file, pathToFileURL(path)).href);
      return { contents: text.replaceAll('import.meta.url', `moduleUrl("${fromRoot(path)}")`), loader: 'js' };
    });
  },
});

const namesOfClasses = (text) => [...text.matchAll(CLASS)].map(([, variable, own]) => own ?? variable);

/** The bundler renames a class that refers to itself to `_Name`, and a class whose name another module uses to `Name2`. */
const originalName = (name, known) =>
  [name.replace(/^_/, ''), name.replace(/\d+$/, ''), name.replace(/^_|\d+$/g, '')].find((one) =>
    known.has(one),
  );

/**
 * Resolves the marks of `ownModules` relative to the output, and restores the names of classes, which logs and failed jobs contain.
 * @param {string} path of the output, from the root of the tarball
 * @param {Set<string>} known names of the classes in the modules before bundling
 */
export function finished(text, path, known) {
  const up = '../'.repeat(path.split('/').length - 1);
  return text
    .replace(MODULE_URL, (_, module) => `new URL("${up}${module}", import.meta.url).href`)
    .replace(CLASS, (start, variable, own) => {
      const name = own ?? variable ?? '';
      const original = known.has(name) ? undefined : originalName(name, known);
      if (original === undefined) return start;
      return `${start}static{Object.defineProperty(this,"name",{value:"${original}",configurable:true})}`;
    });
}

async function bundleEntries(entries, { stage, external, named }) {
  const result = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: entries,
    outbase: ROOT,
    outdir: stage,
    chunkNames: `${CHUNKS}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Identifiers stay as they are: stack traces contain them.
    minifyWhitespace: true,
    banner: { js: BANNER },
    external,
    plugins: [ownModules(named)],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const [warning] = result.warnings;
  if (warning) throw new Error(`The bundle: ${warning.text} (${warning.location?.file ?? 'no file'})`);
  const inputs = Object.keys(result.metafile.inputs);
  const known = new Set(inputs.flatMap((input) => namesOfClasses(readFileSync(join(ROOT, input), 'utf8'))));
  for (const { path, text } of result.outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, finished(text, relative(stage, path).replaceAll('\\', '/'), known));
  }
  return inputs;
}

/**
 * Bundles entry points, then the entry points that their modules refer to by URL, such as threads.
 * @param {string[]} main paths from the root of the repository
 * @returns {Promise<{ inputs: string[], files: string[] }>} paths from the root: the modules in the bundle; the other files and folders that
 * they refer to by URL
 */
export async function bundle(main, { stage, external }) {
  const named = new Set();
  const inputs = new Set();
  const bundled = new Set();
  for (let entries = main; entries.length > 0; ) {
    for (const input of await bundleEntries(entries, { stage, external, named })) inputs.add(input);
    for (const one of entries) bundled.add(one);
    entries = [...named]
      .map((url) => fileURLToPath(url))
      .filter((path) => OWN.test(path) && existsSync(path))
      .map(fromRoot)
      .filter((path) => !bundled.has(path));
  }
  const files = [...named].map((url) => fromRoot(fileURLToPath(url))).filter((path) => !bundled.has(path));
  // Threads have a second URL for runs from source, which a tarball does not contain.
  return { inputs: [...inputs], files: files.filter((path) => !path.endsWith('.ts')) };
}
