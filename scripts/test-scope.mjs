/**
 * Splits the arguments of the test command.
 * @param {string[]} argv
 * @returns {{ unitOnly: boolean, scope: 'rest' | 'all' | null, args: string[] }} `scope` null: as the environment says, or what a
 *   change needs; `args` go to vitest
 * @throws {Error} when --rest has no part
 */
export function scopeOf(argv) {
  const args = argv.filter((arg) => arg !== '--unit' && arg !== '--all');
  const unitOnly = argv.includes('--unit');
  const rest = args.indexOf('--rest');
  if (rest < 0) return { unitOnly, scope: argv.includes('--all') ? 'all' : null, args };
  const [, part] = args.splice(rest, 2);
  if (!/^[1-9]\d*\/[1-9]\d*$/.test(part ?? '')) {
    throw new Error('--rest takes a part and the number of parts, such as 2/3');
  }
  return { unitOnly, scope: 'rest', args: [...args, `--shard=${part}`] };
}
