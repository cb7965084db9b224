/** Makes the tarball from the build, in a temporary folder. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runQuiet } from '../foreground.mjs';
import { npm, ROOT } from '../install.mjs';
import { bundle } from './bundle.mjs';
import { noticesOf } from './notices.mjs';
import { copyPackages, EXTERNAL, packagesOf, readManifest } from './packages.mjs';

const NAME = 'slowwave';
const MAIN = 'apps/standalone/dist/main.js';
const COMMAND = 'apps/standalone/bin/slowwave.mjs';
/** The processes that tests start. */
const STARTED = [MAIN, 'apps/worker/dist/main.js', 'apps/producer/dist/main.js'];
/** Files and folders that no module refers to: the command, documentation with what it links to, and examples. */
const BESIDE = [
  COMMAND,
  'LICENSE',
  'docs',
  'docker-compose.yml',
  'examples',
  'ops',
  'packages/client/README.md',
];
/** Snapshots of the schema are used only to generate migrations. */
const UNUSED = /_snapshot\.json$/;

/** Bundles entry points into a folder, with the files that they refer to and others. @returns {Promise<string[]>} the modules in it */
async function bundleInto(stage, entries, beside) {
  const { inputs, files } = await bundle(entries, { stage, external: EXTERNAL });
  for (const path of [...files, ...beside]) {
    cpSync(join(ROOT, path), join(stage, path), { recursive: true, filter: (from) => !UNUSED.test(from) });
  }
  return inputs;
}

function manifestOf(dependencies) {
  const { version, license, type, engines } = readManifest('.');
  // The local embedder loads an optional package, which its user installs.
  const { peerDependencies, peerDependenciesMeta } = readManifest('packages/models');
  return {
    name: NAME,
    version,
    description: "The sleep of an AI agent's memory: the service and its command line",
    license,
    type,
    engines,
    bin: { [NAME]: COMMAND },
    dependencies,
    bundleDependencies: Object.keys(dependencies),
    peerDependencies,
    peerDependenciesMeta,
  };
}

/** README.md of the tarball. */
function readme(version) {
  return readFileSync(join(ROOT, 'scripts', 'pack', 'README.md'), 'utf8').replaceAll('VERSION', version);
}

async function fill(stage) {
  const inputs = await bundleInto(stage, [MAIN], BESIDE);
  const { dependencies, folders } = copyPackages(stage);
  const manifest = manifestOf(dependencies);
  const texts = {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'README.md': readme(manifest.version),
    'THIRD-PARTY-NOTICES': noticesOf([...packagesOf(inputs), ...folders]),
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(stage, name), text);
  return `${NAME}-${manifest.version}.tgz`;
}

/**
 * @param {string} folder where the tarball goes
 * @returns {Promise<{ file: string, bytes: number }>}
 */
export async function pack(folder) {
  const stage = mkdtempSync(join(tmpdir(), 'slowwave-pack-'));
  try {
    const name = await fill(stage);
    mkdirSync(folder, { recursive: true });
    const options = ['--pack-destination', folder, '--offline', '--ignore-scripts', '--no-update-notifier'];
    const [command, args] = npm(['pack', ...options]);
    const { code, output } = await runQuiet(command, args, { cwd: stage });
    if (code !== 0) throw new Error(`${output}\nnpm pack failed (exit code ${code}).`);
    const file = join(folder, name);
    return { file, bytes: statSync(file).size };
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/**
 * Makes the processes of the build for tests, bundled as in the tarball: loading them takes half of the processor time.
 * @returns {Promise<string>} a new folder, below the installed packages so that the modules find those that are not bundled
 */
export async function packForTests() {
  const cache = join(ROOT, 'node_modules', '.cache', 'slowwave');
  mkdirSync(cache, { recursive: true });
  const stage = mkdtempSync(join(cache, 'bundle-'));
  // The manifest says that the modules are ECMAScript.
  await bundleInto(stage, STARTED, [COMMAND, 'package.json']);
  return stage;
}
