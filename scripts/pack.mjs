/**
 * npm run pack               builds, and writes one tarball of the service and the command line to dist/
 * npm run pack -- FOLDER     the same, to another folder
 * … --built                  packs what the last build wrote, without building
 */
import { join, relative, resolve } from 'node:path';
import { build } from './build.mjs';
import { main } from './foreground.mjs';
import { ensureInstalled, ROOT } from './install.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  const folders = args.filter((arg) => arg !== '--built');
  if (folders.length > 1 || folders.some((folder) => folder.startsWith('-'))) {
    throw new Error('usage: npm run pack [-- [--built] FOLDER]');
  }
  await ensureInstalled();
  if (!args.includes('--built')) await build();
  // Imported late: a fresh clone has no bundler before its dependencies are installed.
  const { pack } = await import('./pack/pack.mjs');
  const { file, bytes } = await pack(resolve(folders[0] ?? join(ROOT, 'dist')));
  console.log(`${relative(process.cwd(), file)} ${(bytes / 1e6).toFixed(1)} MB`);
  return 0;
});
