/** Builds all workspaces: quiet unless something fails. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runQuiet, since } from './foreground.mjs';
import { ROOT } from './install.mjs';

const SYSTEMS = { darwin: 'darwin', linux: 'linux', win32: 'windows', android: 'linux' };
const MACHINES = { x64: '64', arm64: 'arm64' };

/** turbo is a native program that npm may not have installed: a lock file can lack this platform. */
function hasTurbo() {
  const name = `@turbo/${SYSTEMS[process.platform]}-${MACHINES[process.arch]}/package.json`;
  try {
    createRequire(join(ROOT, 'node_modules', 'turbo', 'package.json')).resolve(name);
    return true;
  } catch {
    return false;
  }
}

function withTurbo() {
  const turbo = join(ROOT, 'node_modules', 'turbo', 'bin', 'turbo');
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' };
  return runQuiet(process.execPath, [turbo, 'run', 'build', '--output-logs=errors-only'], { cwd: ROOT, env });
}

/** Folders of the workspaces, each after those it depends on. */
export function workspacesInOrder(root = ROOT) {
  const workspaces = ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(root, group))
      .map((name) => join(root, group, name))
      .filter((folder) => existsSync(join(folder, 'package.json')))
      .map((folder) => ({
        folder,
        manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
      })),
  );
  const byName = new Map(workspaces.map((workspace) => [workspace.manifest.name, workspace]));
  const ordered = new Set();
  const visit = ({ folder, manifest }) => {
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      if (byName.has(name)) visit(byName.get(name));
    }
    ordered.add(folder);
  };
  for (const workspace of workspaces) visit(workspace);
  return [...ordered];
}

async function withCompiler() {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  for (const folder of workspacesInOrder()) {
    const done = await runQuiet(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: folder });
    if (done.code !== 0) return done;
  }
  return { code: 0, output: '' };
}

/** @throws {Error} with the compiler's output when a workspace does not build */
export async function build(say = (line) => console.error(line)) {
  const start = Date.now();
  const { code, output } = hasTurbo() ? await withTurbo() : await withCompiler();
  if (code !== 0) throw new Error(`${output}\nThe build failed (exit code ${code}).`);
  say(`Built in ${since(start)}.`);
}
