/** Other versions of Node.js: npm has their programs as packages, which are installed in a folder of their own. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runQuiet } from './foreground.mjs';
import { npm, ROOT } from './install.mjs';

const SYSTEMS = { win32: 'win' };

/** @returns {Promise<string>} where the program is. @throws {Error} with npm's own output when it cannot be installed */
export async function provideNode(major) {
  const name = `node-${SYSTEMS[process.platform] ?? process.platform}-${process.arch}`;
  const folder = join(ROOT, 'node_modules', '.cache', 'slowwave', `node-${major}`);
  mkdirSync(folder, { recursive: true });
  const options = ['--prefix', folder, '--no-save', '--no-package-lock', '--ignore-scripts'];
  const [command, args] = npm(['install', ...options, '--no-audit', '--no-fund', `${name}@${major}`]);
  const { code, output } = await runQuiet(command, args, { cwd: folder });
  if (code !== 0) throw new Error(`${output}\nNode.js ${major} could not be installed (exit code ${code}).`);
  const bin = process.platform === 'win32' ? 'node.exe' : 'node';
  return join(folder, 'node_modules', name, 'bin', bin);
}
