import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Entries as one script each, and what starts them. */
export interface Bundles {
  /** Arguments of Node.js that start an entry; what follows them is the entry's own. */
  args(entry: string): string[];
  /** The same, for a process that writes the compiled code down when it is told `{ cache: true }`. */
  cachingArgs(entry: string): string[];
}

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Packages that read files of their own, are native, or are not there. */
const EXTERNAL = ['@electric-sql/*', '@bull-board/*', 'pg-native', 'msgpackr-extract', '@valkey/*'];

/**
 * Runs a script from its compiled code when there is some: compiling is most of what a start costs. The process sees the arguments as
 * if it had been started by the script's name.
 */
const LOADER = `'use strict';
const { createRequire } = require('node:module');
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { Script, constants } = require('node:vm');
const [, , mode, file, home] = process.argv;
const cacheFile = file + '.cache';
const cachedData = mode === 'run' && existsSync(cacheFile) ? readFileSync(cacheFile) : undefined;
const text = '(function (exports, require, module, __filename, __dirname) {' + readFileSync(file, 'utf8') + '\\n})';
const script = new Script(text, { filename: file, cachedData, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER });
process.argv.splice(1, 4, file);
if (mode === 'cache') process.on('message', (message) => {
  if (!message || !message.cache) return;
  writeFileSync(cacheFile + '.new', script.createCachedData());
  renameSync(cacheFile + '.new', cacheFile);
  process.send({ cached: true });
});
const module_ = { exports: {} };
script.runInThisContext()(module_.exports, createRequire(home), module_, file, home);
`;

/** Files know where they stood, although they stand together now. */
function sources(): Plugin {
  return {
    name: 'sources',
    setup(builder) {
      builder.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        const here = JSON.stringify(pathToFileURL(path).href);
        return { loader: 'ts', contents: text.replaceAll('import.meta.url', here) };
      });
    },
  };
}

/**
 * Puts every entry with all it needs into one script.
 * @param entries names and their files, from the root of the repository
 * @param plugins asked before any other, such as for mutants
 */
export async function bundle(options: {
  folder: string;
  entries: Readonly<Record<string, string>>;
  plugins?: Plugin[];
}): Promise<Bundles> {
  const { folder, entries } = options;
  await mkdir(folder, { recursive: true });
  await build({
    absWorkingDir: ROOT,
    entryPoints: entries,
    outdir: folder,
    bundle: true,
    minifyWhitespace: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    // What stays outside is looked for from the repository, also when it is loaded late: a script in another folder would look from there.
    supported: { 'dynamic-import': false },
    conditions: ['source'],
    external: EXTERNAL,
    plugins: [...(options.plugins ?? []), sources()],
    logLevel: 'error',
  });
  const loader = join(folder, 'loader.cjs');
  await writeFile(loader, LOADER);
  const home = join(ROOT, 'apps/producer/src/main.ts');
  const args = (mode: string, entry: string) => {
    if (!(entry in entries)) throw new RangeError(`no entry is called ${entry}`);
    return [loader, mode, join(folder, `${entry}.js`), home];
  };
  return { args: (entry) => args('run', entry), cachingArgs: (entry) => args('cache', entry) };
}
