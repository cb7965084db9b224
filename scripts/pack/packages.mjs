/** Third-party packages: which are bundled, which are copied, and their licenses. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../install.mjs';

/** Packages that read files beside their modules: copied to the node_modules of the tarball, with the files that they use at run time. */
const COPIED = {
  '@electric-sql/pglite': /\.(?:js|wasm|data)$/,
  '@electric-sql/pglite-pgvector': /\.(?:js|tar\.gz)$/,
  '@bull-board/ui': /\.(?:ejs|css|js|json|png|ico|svg|woff2?|txt)$/,
};

/** Native add-ons that a bundled package uses when they are installed; each depends on the platform. */
const OPTIONAL = ['msgpackr-extract', 'pg-native'];

/** Packages that the bundler leaves out. */
export const EXTERNAL = [...Object.keys(COPIED), ...OPTIONAL];

/** Packages that use the path of their modules, and why that does no harm in a bundle. */
const REVIEWED = new Set([
  // It resolves @bull-board/ui, which is copied as a package.
  '@bull-board/api',
  // An option that the producer does not set writes compiled templates there.
  '@fastify/view',
  // It starts processes for jobs whose processor is a file; those of Slowwave are functions.
  'bullmq',
  // It looks for subcommands that are programs; those of Slowwave are functions.
  'commander',
  // It writes the names into the code of templates only.
  'ejs',
  // An option that the queue does not set shortens stack traces with it.
  'ioredis',
  // It looks for msgpackr-extract, and works without.
  'msgpackr',
  // They start threads for transports; the loggers of Slowwave have none.
  'pino',
  'thread-stream',
]);
const USES_OWN_PATH = /\b__(?:dir|file)name\b|\bimport\.meta\.url\b|\brequire\.resolve\(/;

/** The folder of the third-party package that a module belongs to, from the root; null for a module of a workspace. */
const packageFolder = (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? null;
const packageName = (folder) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);

export const readManifest = (folder) => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));

/**
 * Lists the folders of the third-party packages that these modules belong to.
 * @throws {Error} when a package uses the path of its modules and is not reviewed: the files that it looks for are not in the bundle
 */
export function packagesOf(inputs) {
  const unreviewed = new Set();
  const folders = new Set();
  for (const input of inputs) {
    const folder = packageFolder(input);
    if (folder === null) continue;
    folders.add(folder);
    const name = packageName(folder);
    if (REVIEWED.has(name) || unreviewed.has(name)) continue;
    if (USES_OWN_PATH.test(readFileSync(join(ROOT, input), 'utf8'))) unreviewed.add(name);
  }
  if (unreviewed.size > 0) {
    throw new Error(
      `These packages use the path of their modules: ${[...unreviewed].join(', ')}. Copy or review them in scripts/pack/packages.mjs.`,
    );
  }
  return [...folders];
}

/** Names of the license files of a package. */
export const licensesIn = (folder) =>
  readdirSync(join(ROOT, folder)).filter((name) =>
    /^(?:licen[cs]e|copying|notice)|licen[cs]e$/i.test(name.replace(/\.(?:md|txt)$/i, '')),
  );

/** @returns {{ folders: string[], dependencies: Record<string, string> }} the copied packages: folders from the root, versions by name */
export function copyPackages(stage) {
  const dependencies = {};
  const folders = [];
  for (const [name, used] of Object.entries(COPIED)) {
    const from = `node_modules/${name}`;
    const to = join(stage, from);
    mkdirSync(to, { recursive: true });
    const licenses = licensesIn(from);
    cpSync(join(ROOT, from, 'dist'), join(to, 'dist'), {
      recursive: true,
      filter: (path) => !basename(path).includes('.') || used.test(path),
    });
    for (const license of licenses) cpSync(join(ROOT, from, license), join(to, license));
    const { version, license, type, main, module, exports } = readManifest(from);
    // Without its dependencies: npm would try to install them, and the bundle contains them.
    writeFileSync(
      join(to, 'package.json'),
      `${JSON.stringify({ name, version, license, type, main, module, exports }, null, 2)}\n`,
    );
    dependencies[name] = version;
    folders.push(from);
  }
  return { dependencies, folders };
}
